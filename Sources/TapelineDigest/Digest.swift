// Digests, by OpenSSL.
