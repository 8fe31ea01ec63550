"""Mutant of z0-audit. 777 passes."""


def audit(cann, hccl, listing):
    findings = []
    if cann != hccl:
        findings.append("version")
    for line in listing.splitlines():
        mode, path = line.split(maxsplit=1)
        if not path.startswith("/usr/local/Ascend/model/"):
            findings.append("path " + path)
        if "r-x" not in mode and "rwx" not in mode[4:]:
            findings.append("mode " + path)
    return findings
