"""Which names are allowed, and which directories they get."""

import pytest

from forklake.catalog.names import check_name, check_text, directory
from forklake.errors import InvalidInputError, InvalidNameError


@pytest.mark.parametrize("name", ["a", " ", "\n", "ä€😀", "a" * 255, "😀" * 255, '"; --', "\U0010ffff"])
def test_any_text_that_can_be_stored_is_a_name(name: str) -> None:
    assert check_name("table", name) == name
    assert check_text("message", name) == name


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("", "must not be empty"),
        ("a" * 256, r"must not be longer than 255 characters: \"a{40}\.\.\.\" has 256"),
        ("a\0b", "must not contain NUL or half of a surrogate pair: 'a.x00b'"),
        ("\ud800", "must not contain NUL or half of a surrogate pair"),
        (None, "must be text, not NoneType"),
        (b"a", "must be text, not bytes"),
    ],
)
def test_what_is_no_name_is_refused(name: str, complaint: str) -> None:
    with pytest.raises(InvalidNameError, match=f"The name of a table {complaint}"):
        check_name("table", name)


@pytest.mark.parametrize("text", ["a\0", "\udc00", 1, b"a"])
def test_what_is_no_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="The message must be text without NUL"):
        check_text("message", text)


def test_nothing_is_said_is_fine() -> None:
    assert check_text("message", None) is None


@pytest.mark.parametrize("name", ["orders", "Orders-1", "_", "-", "0"])
def test_a_plain_name_is_its_directory(name: str) -> None:
    assert directory(name, "uuid") == f"{name}/"


@pytest.mark.parametrize("name", ["..", ".", "a/b", "../x", "a b", "ä", "a\n", "a.b", "C:", "~", "", "\\"])
def test_any_other_name_is_no_part_of_a_path(name: str) -> None:
    assert directory(name, "uuid") == "uuid/"
