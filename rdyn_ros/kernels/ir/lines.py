"""Lines of a function on vectors, one value after the other."""
from .text import double, splat


class Lines(list):
    """Lines of IR on `lanes` doubles."""

    def __init__(self, lanes):
        super().__init__()
        self.lanes, self.V, self.K, self.B = lanes, double(lanes), f"<{lanes} x i64>", f"<{lanes} x i1>"

    def let(self, name, text):
        """Appends %name = text; returns %name."""
        self.append(f"  %{name} = {text}")
        return f"%{name}"

    def vector(self, value):
        """A number in every lane."""
        return splat(value, self.lanes)

    def pick(self, name, mark, yes, no):
        """%name: yes in the lanes of the mark, no in the others."""
        return self.let(name, f"select {self.B} {mark}, {self.V} {yes}, {self.V} {no}")

    def polynomial(self, name, coefficients, z):
        """Value of a polynomial at %z, the lowest coefficient first (Horner)."""
        value = self.vector(coefficients[-1])
        for i, c in enumerate(reversed(coefficients[:-1])):
            product = self.let(f"{name}m{i}", f"fmul contract {self.V} {value}, {z}")
            value = self.let(f"{name}{i}", f"fadd contract {self.V} {product}, {self.vector(c)}")
        return value
