"""`verify`: whether what is kept of a run is what loopwright wrote, and a signed record of it for others."""

from pathlib import Path
from typing import Annotated, Any

import typer

from loopwright.core.errors import ExitCode, Invalid
from loopwright.core.text import clean_line, plural
from loopwright.surfaces.cli.kinds import AnyKind
from loopwright.surfaces.cli.options import HERE, Json, Project, open_project, project_option
from loopwright.surfaces.cli.output import SilentExit, print_answer, print_remark

FILE = {"metavar": "FILE", "show_default": False}


def verify(
    kind: AnyKind,
    id: str | None = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Believe what is there from now on: you know where it comes from.")
    ] = False,
    export: Annotated[
        Path | None, typer.Option("--export", help="Write a signed attestation of its result there.", **FILE)
    ] = None,
    public_key: Annotated[
        Path | None, typer.Option("--public-key", help="Write this machine's public key there.", **FILE)
    ] = None,
    attestation: Annotated[
        Path | None, typer.Option("--attestation", help="Check an attestation instead.", **FILE)
    ] = None,
    key: Annotated[Path | None, typer.Option("--key", help="The public key that must have signed it.", **FILE)] = None,
    tree: Annotated[
        str | None,
        typer.Option("--tree", metavar="REV", show_default=False, help="A commit that must have its files."),
    ] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Check that a loop's files are what loopwright wrote."""
    if attestation is not None:
        if key is None or id is not None or accept or export or public_key:
            raise Invalid("--attestation needs --key, and takes no id and no other option but --tree")
        check_attestation(attestation, key, tree, project, json)
    elif key is not None or tree is not None:
        raise Invalid("--key and --tree belong to --attestation FILE")
    elif id is not None:
        check_run(kind, id, project, json, accept=accept, export=export, public_key=public_key)
    elif public_key is not None and not accept and export is None:
        write_public_key(public_key)
        print_answer(json, {"public_key": str(public_key)}, f"the public key is in {public_key}")
    else:
        raise Invalid(f"name one {kind.name}, or give --attestation FILE --key PUBLIC")


def check_run(
    kind: AnyKind, id: str, project: Path, json: bool, *, accept: bool, export: Path | None, public_key: Path | None
) -> None:
    """Exit code 6 where something is found."""
    from loopwright.wiring.verification import accept_run, verify_run

    with open_project(project) as engine:
        service = kind.service(engine)
        if accept:
            accept_run(service, id)
        found = verify_run(engine, service, id)
        if export and not found.findings:
            from loopwright.wiring import attestation as attesting
            from loopwright.wiring.places import seals_folder

            statement = attesting.build_statement(kind.name, id, engine.project.name, found)
            envelope = attesting.sign_statement(statement, attesting.load_signing_key(seals_folder()))
            attesting.write_file(export, envelope)
    if public_key:
        write_public_key(public_key)
    lines = [f"{id}: {clean_line(finding)}" for finding in found.findings]
    if found.findings:
        at = project_option(project)
        lines.append(
            f"what does not verify is not believed; `{kind.line} recover {id}{at}` goes on from what does, and "
            f"`{kind.line} verify {id}{at} --accept` takes over what is there"
        )
        if export:
            print_remark(f"{export} was not written")
    else:
        trusted = f", {plural(found.adopted, 'line')} of them trusted as they were found" if found.adopted else ""
        held = f"{plural(found.lines, 'journal line')}{trusted}, {plural(found.checkpoints, 'checkpoint')}"
        lines.append(f"{id} verifies: {held}")
    data: dict[str, Any] = {  # Any: JSON values
        kind.key: id,
        "verifies": not found.findings,
        "findings": list(found.findings),
        "lines": found.lines,
        "adopted": found.adopted,
        "checkpoints": found.checkpoints,
    }
    print_answer(json, data, "\n".join(lines))
    if found.findings:
        raise SilentExit(ExitCode.DAMAGED)


def check_attestation(attestation: Path, key: Path, tree: str | None, project: Path, json: bool) -> None:
    """Exit code 1 where it is not what it says, or not about that tree."""
    from loopwright.wiring.attestation import open_attestation, subject_trees

    try:
        envelope, public = attestation.read_bytes(), key.read_bytes()
    except OSError as error:
        raise Invalid(f"{error.filename}: {error.strerror}") from error
    trouble, statement = "", dict[str, Any]()  # Any: JSON values
    try:
        statement = open_attestation(envelope, public)
        if tree is not None and (actual := tree_of(project, tree)) not in subject_trees(statement):
            trouble = f"{tree} has the tree {actual}, which it does not speak of"
    except Invalid as error:
        trouble = str(error)
    result = statement.get("predicate", {}).get("result", {})
    about = clean_line(f"{result.get('status')}, {result.get('outcome')}")
    words = f"{attestation}: {trouble}" if trouble else f"{attestation} verifies: {about}"
    print_answer(json, {"verifies": not trouble, "trouble": trouble, "statement": statement}, words)
    if trouble:
        raise SilentExit(ExitCode.NO_SUCCESS)


def tree_of(project: Path, rev: str) -> str:
    """The tree of a commit of the user's repository. Invalid where there is no such commit."""
    from loopwright.workspace.private_git import run_git

    done = run_git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{tree}}", cwd=project)
    if done.returncode:
        raise Invalid(f"{rev} is no commit of the repository at {project}")
    return done.stdout.decode().strip()


def write_public_key(path: Path) -> None:
    from loopwright.wiring.attestation import load_signing_key, public_pem, write_file
    from loopwright.wiring.places import seals_folder

    write_file(path, public_pem(load_signing_key(seals_folder())))
