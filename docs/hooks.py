"""What `mkdocs` does to the pages beside its own work."""

import re


def on_page_markdown(markdown: str, **_: object) -> str:
    """Mark examples with prompts as sessions, so that their output is not coloured as code.

    What only tests read of them is left out.
    """
    sessions = re.sub(r"^```python\n(?=>>> )", "```pycon\n", markdown, flags=re.MULTILINE)
    return sessions.replace("<BLANKLINE>\n", "\n")


def on_post_page(output: str, **_: object) -> str:
    """Refuse a page that would fetch anything from another host."""
    if fetched := re.findall(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\"?(https?:[^\"\s>]*)", output):
        raise RuntimeError(f"The page would fetch {', '.join(fetched)}; the site is to be read without a network.")
    return output
