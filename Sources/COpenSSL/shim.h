#ifndef TAPELINE_COPENSSL_SHIM_H
#define TAPELINE_COPENSSL_SHIM_H

// First, for the same reason as in CLibevent/shim.h.
#include <features.h>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// Each function below stands for a macro over SSL_ctrl, SSL_CTX_ctrl or BIO_ctrl, which Swift does not import.

static inline long tapeline_ssl_set_server_name(SSL *ssl, const char *name) {
  return SSL_set_tlsext_host_name(ssl, name);
}

static inline long tapeline_ssl_context_set_minimum_version(SSL_CTX *context, int version) {
  return SSL_CTX_set_min_proto_version(context, version);
}

static inline size_t tapeline_bio_pending(BIO *bio) {
  return BIO_ctrl_pending(bio);
}

#endif
