"""Sphinx configuration."""

import os

project = "askance"
author = "the askance developers"
copyright = "2026, the askance developers"  # noqa: A001 - Sphinx's own name
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = "askance"
html_static_path = ["_static"]
html_css_files = ["askance.css"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
napoleon_use_ivar = True  # attributes of a class are documented once
autodoc_member_order = "bysource"
autodoc_typehints = "description"
# A word in the type of a parameter, such as "classes", can be the name of several attributes.
suppress_warnings = ["ref.python"]

# Links to other projects need their inventories, which must be downloaded: only the hosted build has a network.
if os.environ.get("READTHEDOCS"):
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        "python": ("https://docs.python.org/3", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "scipy": ("https://docs.scipy.org/doc/scipy", None),
        "sklearn": ("https://scikit-learn.org/stable", None),
    }
