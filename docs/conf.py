"""Settings of Sphinx: `make docs` writes the site to build/docs."""
project = "rdyn_ros"
copyright = "rdyn_ros developers"
extensions = ["myst_parser", "sphinxcontrib.mermaid"]
source_suffix = {".md": "markdown"}
root_doc = "index"
html_theme = "alabaster"
html_theme_options = {"description": "Dynamics of any robot, as ROS 2 nodes", "page_width": "1100px"}
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_fence_as_directive = ["mermaid"]
myst_heading_anchors = 3
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]     # links to files outside the site
exclude_patterns = ["README.md"]
