"""Certificates of a class: signed with its key, checked by anybody without its server.

* `record`: what a certificate says, and the one sequence of bytes that is signed.
* `keyring`: the public keys of a class, their terms, and what was taken back.
* `signing`: signature and check; the check names what is wrong.
* `document`: the page as PDF, with a QR code that holds the whole signed record.
* `page`: one HTML file that checks certificates in a browser, offline.
* `issuing`: from points in the gradebook to certificates.

A certificate proves that the holder of the class' private key signed it. It cannot
prove that the class is a good one, or who sat at the keyboard.
"""
