"""Fetch the real census file of UCI: checked, resumable, and never half a file."""

import hashlib
import http.client
import os
import shutil
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from http import HTTPStatus
from pathlib import Path

ADULT_URL = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/adult.data"
ADULT_SHA256 = "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"

# What another try may cure; an error of the disk isn't among them.  An HTTPError is a URLError.
_NETWORK_ERRORS = (
    urllib.error.URLError,
    http.client.HTTPException,
    ssl.SSLError,
    ConnectionError,
    TimeoutError,
)


def download_uci_adult(path: str | os.PathLike) -> Path:
    """Fetch ``adult.data``, 32,561 records of the 1994 census (4 MB, CC BY 4.0), from the UCI archive.

    The transfer goes to a file beside ``path`` with ``.part`` at the end of its name, which takes the place of
    ``path`` in one step once it is complete and its SHA-256 is that of the archive's file.  A broken transfer is tried
    again, five times in all with growing pauses, and goes on where it broke off, in a later call as well.

    Parameters
    ----------
    path : str or path
        Where the file shall be; a file that is there is replaced.  Its folder must exist.

    Returns
    -------
    Path
        ``path``, to be given to :func:`load_census`.

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If the folder of ``path`` doesn't exist, or ``path`` is itself a folder.
    ConnectionError
        If the archive doesn't answer, doesn't have the file or breaks off each time.
    ValueError
        If what arrived isn't the file (wrong checksum); nothing of it is kept.

    References
    ----------
    B. Becker and R. Kohavi (1996). Adult. UCI Machine Learning Repository, https://doi.org/10.24432/C5XW20.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> census = dp.load_census(dp.download_uci_adult("adult.data"))  # doctest: +SKIP
    """
    return _download(Path(path), url=ADULT_URL, sha256=ADULT_SHA256, timeout=30.0, pauses=(1, 2, 4, 8))


def _download(path: Path, *, url: str, sha256: str, timeout: float, pauses: Iterable[float]) -> Path:
    """Fetch ``url`` into ``path``; after each failure but the last one of ``pauses`` (seconds) goes by."""
    if path.is_dir():
        raise IsADirectoryError(f"path must name a file, {path} is a folder")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"path must be in a folder that exists, {path.parent} doesn't")
    part = path.with_name(path.name + ".part")
    left_over = part.exists()
    _transfer_persistently(url, part, timeout, pauses)
    with part.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        part.unlink()
        if left_over:  # perhaps the beginning, from an earlier call, was of another file
            return _download(path, url=url, sha256=sha256, timeout=timeout, pauses=pauses)
        raise ValueError(f"{url} is not the file expected: its SHA-256 is {found}, expected {sha256}")
    return part.replace(path)


def _transfer_persistently(url: str, part: Path, timeout: float, pauses: Iterable[float]) -> None:
    """Try until ``part`` is complete, ``pauses`` are used up, or there is no hope."""
    for pause in (*pauses, None):
        try:
            return _transfer(url, part, timeout)
        except _NETWORK_ERRORS as error:
            if pause is None or not _may_pass(error):
                kept = f"; what has arrived is in {part}, and another call goes on from there" if part.exists() else ""
                raise ConnectionError(f"{url} could not be fetched: {error}{kept}") from error
            time.sleep(pause)


def _transfer(url: str, part: Path, timeout: float) -> None:
    """Fetch what ``part`` lacks, and append it; a ConnectionError says that the transfer broke off."""
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        response = urllib.request.urlopen(request, timeout=timeout)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            return  # nothing is lacking; the checksum tells whether that is so
        raise
    with response:
        resumed = response.status == HTTPStatus.PARTIAL_CONTENT  # otherwise the whole file comes again
        with part.open("ab" if resumed else "wb") as file:
            start = file.tell()
            shutil.copyfileobj(response, file)
            arrived = file.tell() - start
    announced = response.headers.get("Content-Length")
    if announced is not None and arrived < int(announced):
        raise ConnectionError(f"the connection broke after {arrived:,} of {int(announced):,} bytes")


def _may_pass(error: Exception) -> bool:
    """Tell a failure that may pass from an answer that stays, such as "404 not found"."""
    passing = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS)
    return not isinstance(error, urllib.error.HTTPError) or error.code >= 500 or error.code in passing
