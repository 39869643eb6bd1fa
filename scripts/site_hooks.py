"""What the documentation site needs besides mkdocs.yml.

Links are written for whoever reads the files in the repository, so they may leave docs/. Pages
outside docs/ become pages of the site, too, and links are rewritten to where these are; a link to
a file that is no page of the site, say a script, is left as its text.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
OUTSIDE = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "benchmarks/README.md",
    "examples/*/README.md",
    "results/**/*.md",
)
LINK = re.compile(r"\[([^][]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The site's files, with the pages outside docs/ at their places in the repository."""
    for pattern in OUTSIDE:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, name, content=path.read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The page with its links rewritten."""
    name = page.file.src_uri
    source = name if page.file.generated_by else f"docs/{name}"

    def rewritten(link: re.Match[str]) -> str:
        text, target, anchor = link[1], link[2], link[3] or ""
        if ":" in target:
            return link[0]
        place = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        there = place.removeprefix("docs/")
        if there in files.src_uris:
            return f"[{text}]({posixpath.relpath(there, posixpath.dirname(name))}{anchor})"
        return text if (ROOT / place).exists() else link[0]

    return LINK.sub(rewritten, markdown)
