"""What a run has come to, as a signed record for others: an in-toto Statement v1 in a DSSE envelope, by Ed25519."""

import hashlib
import json
import os
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from loopwright import __version__
from loopwright.core.errors import Invalid
from loopwright.store.mac_chain import load_key
from loopwright.store.patch import to_json
from loopwright.wiring.verification import Verification

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:loopwright:attestation:run:v1"
PAYLOAD = "application/vnd.in-toto+json"
Json = dict[str, Any]  # Any: JSON values


def load_signing_key(folder: Path) -> Ed25519PrivateKey:
    """This machine's and user's, made at its first use; the public key is beside it."""
    key = load_pem_private_key(load_key(folder / "attestation.key", _make_key), None)
    assert isinstance(key, Ed25519PrivateKey)
    return key


def public_pem(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def build_statement(kind: str, id: str, project: str, found: Verification) -> Json:
    """Invalid where the run has no validated tree to speak of."""
    state = found.state
    validation = state.engine.last_validation if state else None
    if state is None or validation is None:
        raise Invalid(f"{id} has no validation yet: there is nothing to attest")
    engine = state.engine
    document = to_json(state)
    own = document["engine"]
    predicate = {
        "builder": {"id": f"loopwright/{__version__}"},
        "request": {
            "kind": kind,
            "id": id,
            "title": document.get("title"),
            "description": document.get("description"),
            "sources": own.get("sources", []),
            "tasks": own.get("tasks", []),
        },
        "settings": own["settings"],
        "base": {"gitTree": engine.checkpoints[0].tree} if engine.checkpoints else {},
        "checkpoints": own["checkpoints"],
        "validation": own["last_validation"],
        "environment": engine.environment,
        "proof": own.get("proof"),
        "incidents": own["incidents"],
        "result": {"status": state.status, "outcome": engine.outcome},
        "journal": {"lines": engine.rev, "digest": {"sha256": found.journal}, "adopted": found.adopted},
        "startedOn": document.get("created_at") or document.get("started_at"),
        "finishedOn": document.get("completed_at"),
    }
    subjects = [{"name": project, "digest": {"gitTree": validation.tree}}]
    branch = engine.branch
    if branch and branch.tip:
        subjects.append({"name": f"{project}@{branch.name}", "digest": {"gitCommit": branch.tip}})
    return {"_type": STATEMENT, "subject": subjects, "predicateType": PREDICATE, "predicate": predicate}


def sign_statement(statement: Json, key: Ed25519PrivateKey) -> bytes:
    """The DSSE envelope, as JSON."""
    payload = json.dumps(statement, ensure_ascii=False, sort_keys=True).encode()
    signature = {"keyid": _key_id(key.public_key()), "sig": b64encode(key.sign(_encoded(payload))).decode()}
    envelope = {"payload": b64encode(payload).decode(), "payloadType": PAYLOAD, "signatures": [signature]}
    return json.dumps(envelope).encode() + b"\n"


def open_attestation(envelope: bytes, public_key: bytes) -> Json:
    """The statement in a DSSE envelope that this key has signed, about a run. Invalid says what is wrong."""
    try:
        key = load_pem_public_key(public_key)
        if not isinstance(key, Ed25519PublicKey):
            raise Invalid("the key is no Ed25519 public key")
        outer = json.loads(envelope)
        payload, signatures = _decoded(outer["payload"]), outer["signatures"]
        if outer["payloadType"] != PAYLOAD:
            raise Invalid(f"payloadType is {outer['payloadType']!r}, not {PAYLOAD!r}")
        if not any(_has_signed(key, one, payload) for one in signatures):
            raise Invalid("it is not signed by that key, or was changed since")
        statement: Json = json.loads(payload)
        if (statement["_type"], statement["predicateType"]) != (STATEMENT, PREDICATE):
            raise Invalid(f"it is no statement about a run, but {statement['predicateType']!r}")
        if not all(isinstance(one["digest"], dict) and one["digest"] for one in statement["subject"]):
            raise Invalid("a subject has no digest")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Invalid(f"it is no DSSE envelope of an in-toto statement ({error!r})") from error
    return statement


def subject_trees(statement: Json) -> set[str]:
    """Git trees that it speaks of."""
    return {one["digest"]["gitTree"] for one in statement["subject"] if "gitTree" in one["digest"]}


def write_file(path: Path, data: bytes) -> None:
    """At once and whole; Invalid where that cannot be."""
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    except OSError as error:
        raise Invalid(f"{path} cannot be written: {error.strerror}") from error


def _make_key() -> bytes:
    return Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _has_signed(key: Ed25519PublicKey, signature: Json, payload: bytes) -> bool:
    if signature["keyid"] != _key_id(key):
        return False
    try:
        key.verify(_decoded(signature["sig"]), _encoded(payload))
    except InvalidSignature:
        return False
    return True


def _decoded(text: str) -> bytes:
    """Base64 as we write it: of several texts for the same bytes only one counts. ValueError."""
    data = b64decode(text, validate=True)
    if b64encode(data).decode() != text:
        raise ValueError("base64 with stray bits")
    return data


def _encoded(payload: bytes) -> bytes:
    """DSSE's pre-authentication encoding."""
    return b"DSSEv1 %d %s %d %s" % (len(PAYLOAD), PAYLOAD.encode(), len(payload), payload)


def _key_id(key: Ed25519PublicKey) -> str:
    return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()
