# Turns pip's talk into one line that counts.
/^Collecting / { collected++; printf "\r      packages found: %d ", collected; fflush() }
/^Installing collected packages/ { printf "\r      packages found: %d, installing ... ", collected; fflush() }
END { print "" }
