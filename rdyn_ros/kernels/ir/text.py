"""Words of LLVM IR."""
import struct


def number(value):
    """A double constant, exact to the bit."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def splat(value, lanes):
    """A constant in every lane; a plain double for one lane."""
    return number(value) if lanes == 1 else "<" + ", ".join([f"double {number(value)}"] * lanes) + ">"


def whole(value, lanes):
    """A 64-bit integer in every lane."""
    return "<" + ", ".join([f"i64 {value}"] * lanes) + ">"


def double(lanes):
    """Type of `lanes` doubles."""
    return "double" if lanes == 1 else f"<{lanes} x double>"


def suffix(lanes):
    """How an intrinsic on `lanes` doubles is named."""
    return "f64" if lanes == 1 else f"v{lanes}f64"


def argument_pointers(name, count):
    """Loads the pointers of an argument array: %in -> %in0, %in1, ..."""
    return [line for i in range(count) for line in (
        f"  %p{name}{i} = getelementptr ptr, ptr %{name}, i64 {i}",
        f"  %{name}{i} = load ptr, ptr %p{name}{i}")]


def angle(lines, angle, name, lanes, base):
    """θ = ratio x + offset of one element of an input, appended to lines."""
    T = double(lanes)
    lines.append(f"  %e{name} = getelementptr {T}, ptr {base}, i64 {angle.element}")
    lines.append(f"  %t{name} = load {T}, ptr %e{name}, align 8")
    value = f"%t{name}"
    if angle.ratio != 1.0:
        lines.append(f"  %r{name} = fmul {T} {value}, {splat(angle.ratio, lanes)}")
        value = f"%r{name}"
    if angle.offset != 0.0:
        lines.append(f"  %o{name} = fadd {T} {value}, {splat(angle.offset, lanes)}")
        value = f"%o{name}"
    return value
