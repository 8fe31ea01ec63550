"""`npucamp certify`, `npucamp verify`, and the keys of a class.

Thin: the work is in `npugrade.certificate`. Every fault is one sentence and exit
code 1. The day of issue is today's, by this machine's clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from npucamp.commands.classroom import Here, class_app

if TYPE_CHECKING:
    from npugrade.certificate.keyring import KeyRing

Why = Annotated[str, typer.Option(help="reason, shown to who checks 原因")]
KEYS = "keys"


def certify(
    examination: Annotated[str, typer.Argument(help="e.g. k2-mock-exam 考试")],
    student: Annotated[
        list[str] | None, typer.Option(help="student id, again for more 学员号")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="name on the certificate 证书上的姓名")
    ] = None,
    language: Annotated[str | None, typer.Option(help="en or zh")] = None,
    to: Annotated[Path, typer.Option(help="folder to write 输出目录")] = Path(
        "certificates"
    ),
    font: Annotated[Path | None, typer.Option(help="font file 字体文件")] = None,
    folder: Here = Path("."),
) -> None:
    """Sign certificates for who passed an examination. 为通过考试的学员签发证书。

    Without --student: for everybody who passed."""
    with _sentences():
        from npugrade.certificate.faults import sentence
        from npugrade.classroom.certifying import Order, certify_students

        order = Order(examination, tuple(student or ()), name, language, to, font)
        done = certify_students(_class(folder)[0], order, date.today())
        for one in done.issued:
            typer.echo(sentence("issued", **one))
        for complaint in done.complaints:
            typer.echo(complaint, err=True)
        raise typer.Exit(int(bool(done.complaints)))


def verify(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="certificates (JSON) 证书")
    ],
    keys: Annotated[
        Path, typer.Option(help="keys.json of the course 课程的 keys.json")
    ] = Path("keys.json"),
) -> None:
    """Check certificates against the keys of a course, offline. 查验证书。"""
    with _sentences():
        from npugrade.certificate.record import read_signed
        from npugrade.certificate.signing import check

        ring = _ring_at(keys)
        answers = [check(read_signed(_text(path)), ring) for path in files]
        for path, answer in zip(files, answers, strict=True):
            typer.echo(f"{path}: {answer.text()}")
        raise typer.Exit(int(not all(answer.good for answer in answers)))


@class_app.command("new-key")
def new_key(folder: Here = Path(".")) -> None:
    """Sign with a new key from today; old certificates still hold. 更换密钥。"""
    with _sentences():
        from npugrade.certificate.faults import sentence
        from npugrade.certificate.issuing import RING, rotate

        root, course = _class(folder)
        ring = rotate(root / KEYS, course, date.today())
        path = root / KEYS / RING
        typer.echo(sentence("new-key", key=ring.keys[-1].id, path=path))


@class_app.command("revoke-key")
def revoke_key(
    key: Annotated[str, typer.Argument(help="id of the key 密钥编号")],
    why: Why,
    folder: Here = Path("."),
) -> None:
    """A key that somebody else may hold proves nothing any more. 吊销密钥。"""
    with _sentences():
        from npugrade.certificate.faults import sentence
        from npugrade.certificate.issuing import save_ring

        root, ring = _ring(folder)
        path = save_ring(root / KEYS, ring.with_revocation(key, date.today(), why))
        typer.echo(sentence("revoked", key=key, path=path))


@class_app.command("withdraw")
def withdraw(
    serial: Annotated[str, typer.Argument(help="serial of the certificate 证书编号")],
    why: Why,
    folder: Here = Path("."),
) -> None:
    """Take one certificate back. 撤回一张证书。"""
    with _sentences():
        from npugrade.certificate.faults import sentence
        from npugrade.certificate.issuing import save_ring

        root, ring = _ring(folder)
        path = save_ring(root / KEYS, ring.with_withdrawal(serial, date.today(), why))
        typer.echo(sentence("taken-back", serial=serial, path=path))


@class_app.command("verify-page")
def verify_page(
    to: Annotated[Path, typer.Option(help="file to write 输出文件")] = Path(
        "verify.html"
    ),
    folder: Here = Path("."),
) -> None:
    """Write the page that checks certificates in a browser. 生成查验页面。"""
    with _sentences():
        from npugrade.certificate.faults import sentence
        from npugrade.certificate.page import verification_page

        _, ring = _ring(folder)
        to.write_text(verification_page(ring), "utf-8")
        typer.echo(sentence("page-written", path=to))


def _class(folder: Path) -> tuple[Path, str]:
    from npugrade.classroom.settings import find_class, load_settings

    root = find_class(folder)
    return root, load_settings(root).course


def _ring(folder: Path) -> tuple[Path, KeyRing]:
    from npugrade.certificate.issuing import load_ring

    root, course = _class(folder)
    return root, load_ring(root / KEYS, course, date.today())


def _ring_at(path: Path) -> KeyRing:
    from npugrade.certificate.keyring import read_ring

    return read_ring(_text(path), path)


def _text(path: Path) -> str:
    return path.read_text("utf-8")


@contextmanager
def _sentences() -> Iterator[None]:
    """What a person can cause becomes its sentence and exit code 1."""
    from npugrade.certificate.faults import CertificateError
    from npugrade.classroom.errors import ClassError

    try:
        yield
    except (CertificateError, ClassError, OSError, ValueError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
