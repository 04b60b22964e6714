"""Memory of a process, as the kernel counts it."""
from pathlib import Path


def memory(field, pid="self"):
    """VmRSS (now), VmHWM (the most so far) or RssAnon (now, without what is shared) of a process [MB]."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split(f"{field}:")[1].split()[0]) / 1024.0
