"""What a confined session does that no reset takes back.

That is: history, options, tags, and what commits say.
"""

from __future__ import annotations

from forklake.config import Confinement
from forklake.errors import AlreadyExistsError, ForklakeError
from forklake.lake import Catalog, Lake
from forklake.lake.internals import runtime_of, sign_as
from forklake.model.hint import GiveMessage
from forklake.model.ids import CatalogId
from forklake.model.names import fold
from forklake.session.safety import permissions
from forklake.session.safety.own_forks import OwnForks, denial


class LastingDeeds:
    """What a session and its cursors may do that lasts.

    Safe to share between threads.
    """

    def __init__(self, terms: Confinement, forks: OwnForks) -> None:
        self._terms = terms
        self._forks = forks
        self._tagged: set[tuple[str, CatalogId, str]] = set()

    # ---- history and options -----------------------------------------------------------------------------------------

    def check_may_maintain(self, what: str) -> None:
        """Refuse what shortens history or rewrites files.

        Raises:
            PermissionDeniedError: The session may not do it.
        """
        if self._forks.is_confined and not self._terms.may_maintain:
            raise denial(
                f"{what} is not permitted, which shortens history or rewrites files",
                hint="Whoever made the session maintains the catalog, or says Confinement(may_maintain=True).",
            )

    def check_option(self, lake: Lake, catalog: CatalogId, key: str) -> None:
        """Refuse to set an option that shortens history, or one of a given catalog.

        Raises:
            PermissionDeniedError: It is one of these, and the session may not maintain.
        """
        if not self._forks.is_confined or self._terms.may_maintain:
            return
        if key in permissions.AGES:
            self.check_may_maintain(f'Option "{key}"')
        if (lake, catalog) not in self._forks:
            raise denial("An option of a catalog that it was given is not set, only those of forks that it made are")

    # ---- author and message ------------------------------------------------------------------------------------------

    def sign(self, catalog: Catalog) -> Catalog:
        """Return a handle that commits and forks in the name that the session was given."""
        terms = self._terms
        if terms.author is None and terms.message is None:
            return catalog
        return sign_as(catalog, terms.author, terms.message)

    def signature(
        self, author: str | None, message: str | None, extra_info: str | None = None
    ) -> tuple[str | None, str | None, str | None]:
        """Return the words of commits for which SQL names some.

        Raises:
            PermissionDeniedError: It may not name them.
        """
        if not self._forks.is_confined:
            return author, message, extra_info
        terms = self._terms
        for named, given in ((author, terms.author), (message, terms.message), (extra_info, None)):
            if named is not None and named != given and (given is not None or not terms.may_sign):
                raise denial(
                    "The author and message of its commits are not for its SQL to name",
                    hint="Whoever made the session gives them as Confinement(author=..., message=...), or leaves what"
                    " is not given to its SQL with may_sign=True.",
                )
        return author or terms.author, message or terms.message, extra_info

    def advise(self, error: ForklakeError) -> None:
        """Give advice that the session can follow in place of what it may not do."""
        if self._forks.is_confined and not self._terms.may_sign and isinstance(error.advice, GiveMessage):
            error.advice = "Whoever made this session gives the message of its commits: Confinement(message=...)."

    # ---- tags --------------------------------------------------------------------------------------------------------

    def check_tag(self, catalog: Catalog, name: str) -> None:
        """Refuse a tag that would stand before another of its name.

        Raises:
            AlreadyExistsError: A version of the catalog has it.
        """
        if self._forks.is_confined and any(fold(tag.name) == fold(name) for tag in catalog.tags()):
            raise AlreadyExistsError(
                f'A version of the catalog has the tag "{name}" already; nothing was tagged.',
                hint="Choose another name.",
            )

    def note_tag(self, lake: Lake, catalog: CatalogId, name: str) -> None:
        """Remember a tag that the session has set."""
        if self._forks.is_confined:
            self._tagged.add((runtime_of(lake).key, catalog, fold(name)))

    def check_untag(self, lake: Lake, catalog: CatalogId, name: str) -> None:
        """Refuse to take a tag away that keeps the past of a given catalog.

        Raises:
            PermissionDeniedError: Neither did the session set it, nor is the catalog a fork that it made.
        """
        if not self._forks.is_confined or self._terms.may_maintain:
            return
        is_mine = (runtime_of(lake).key, catalog, fold(name)) in self._tagged
        if not is_mine and (lake, catalog) not in self._forks:
            raise denial("A tag of a catalog that it was given is not taken away, only those that it set are")
