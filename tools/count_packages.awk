# Turns pip's talk into one line that counts, on a terminal (live=1), and into the sum elsewhere.
function tell(end) { printf "%s      packages found: %d%s", live ? "\r" : "", collected, end; fflush() }
/^Collecting / { collected++; if (live) tell(" ") }
/^Installing collected packages/ { tell(", installing ... ") }
END { print collected ? "done" : "      all there" }
