"""Order of the joints of a described robot, parents before children; what is not one tree is refused."""
import heapq
from collections import defaultdict


def tree_order(description, findings):
    """Root link and the joints with parents before children; findings for loops and disconnected parts."""
    lines = {link.name: link.line for link in description.links}
    above, below = {}, defaultdict(list)
    for index, joint in enumerate(description.joints):
        if joint.child in above:
            message = f"already hangs on joint '{above[joint.child].name}': closed loops are not supported"
            findings.error("loop", joint.line, f"joint '{joint.name}': link '{joint.child}'", message)
            continue
        above[joint.child] = joint
        below[joint.parent].append((index if description.order == "file" else joint.name, joint))
    roots = [link.name for link in description.links if link.name not in above]
    for name in roots[1:]:
        message = f"is not connected to '{roots[0]}': a robot has one root link"
        findings.error("disconnected", lines[name], f"link '{name}'", message)
    walk = in_file_order if description.order == "file" else depth_first
    order = walk(roots[0], below) if roots else []
    if len(roots) < 2:
        unknown = {joint.parent for joint in description.joints} - lines.keys()     # told elsewhere; no loop
        reached = set(roots) | {joint.child for start in (*roots, *unknown) for joint in walk(start, below)}
        for name in [link.name for link in description.links if link.name not in reached][:1]:
            message = "lies on a loop of joints that no root link carries"
            findings.error("loop", lines[name], f"link '{name}'", message)
    return (roots or [None])[0], order


def depth_first(root, below):
    """Joints depth first, children sorted by joint name: the order of URDF parsers."""
    order, stack = [], [root]
    while stack:
        link = stack.pop()
        if link is not root:
            order.append(link)
            link = link.child
        stack += [joint for _, joint in sorted(below[link], key=lambda pair: pair[0], reverse=True)]
    return order


def in_file_order(root, below):
    """Joints in the order of the file; a joint named before its parent comes right after it."""
    order, ready = [], list(below[root])
    heapq.heapify(ready)
    while ready:
        order.append(heapq.heappop(ready)[1])
        for pair in below[order[-1].child]:
            heapq.heappush(ready, pair)
    return order
