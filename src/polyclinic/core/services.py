"""The services that an episode may use besides models.

They come from outside, are typed by protocols, and are never imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from polyclinic.core.embedding import Embedder, VectorIndex
from polyclinic.core.reading import Question
from polyclinic.core.records import StageableRecords
from polyclinic.errors import EngineError


@dataclass(frozen=True)
class Services:
    """The embedder and index maker (made on first use: they are heavy), the hospital's records, and the user's options.

    `reads_line` answers a question about a line without a call, such as whether it is out of character.
    `records_join` says that the records are in the run's own database. Staged changes are then part of the transaction
    that ends an episode; otherwise they are committed separately, just before it.
    """

    make_embedder: Callable[[], Embedder] | None = None
    make_index: Callable[[int], VectorIndex] | None = None
    records: StageableRecords | None = None
    records_join: bool = True
    options: Mapping[str, str] = field(default_factory=dict)
    reads_line: Callable[[str, Question], bool] | None = None

    @property
    def embedder(self) -> Embedder:
        """The embedder of this run."""
        if self.make_embedder is None:
            raise EngineError("this episode needs an embedder, and has none")
        return self.make_embedder()

    @property
    def index(self) -> Callable[[int], VectorIndex]:
        """Makes an empty vector index; takes the number of dimensions."""
        if self.make_index is None:
            raise EngineError("this episode needs a vector index, and has none")
        return self.make_index

    @property
    def hospital(self) -> StageableRecords:
        """The FHIR records of this run."""
        if self.records is None:
            raise EngineError("this episode needs FHIR records, and has none")
        return self.records
