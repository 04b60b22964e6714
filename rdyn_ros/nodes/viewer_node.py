"""Executable viewer_node: the viewer, or one line about what must be installed for it."""
import sys

from ..errors import RdynError
from .process import run


def viewer_node():
    """The node; RdynError when a package of the extra `viewer` is missing."""
    try:
        from .viewer_wiring import ViewerNode
    except ImportError as error:
        raise RdynError(f"the viewer needs the package {error.name}, which is not installed; install all it "
                        "needs with: pip install '.[viewer]'") from None
    return ViewerNode()


def main(args=None):
    """Runs the node until it is interrupted."""
    sys.exit(run(viewer_node, args))


if __name__ == "__main__":
    main()
