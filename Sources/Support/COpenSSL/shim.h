#ifndef TAPELINE_COPENSSL_SHIM_H
#define TAPELINE_COPENSSL_SHIM_H

// First, for the same reason as in CLibevent/shim.h.
#include <features.h>

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <openssl/bio.h>
#include <openssl/core_dispatch.h>
#include <openssl/decoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// Each function below stands for macros, which Swift does not import: over SSL_ctrl and SSL_CTX_ctrl, over stacks, and for the
// options that are written as shifts.

// Errors.

static const int tapeline_err_unsupported = ERR_R_UNSUPPORTED;

// Contexts.

static inline long tapeline_ssl_context_set_minimum_version(SSL_CTX *context, int version) {
  return SSL_CTX_set_min_proto_version(context, version);
}

static inline long tapeline_ssl_context_set_maximum_version(SSL_CTX *context, int version) {
  return SSL_CTX_set_max_proto_version(context, version);
}

static inline long tapeline_ssl_context_set_groups(SSL_CTX *context, const char *list) {
  return SSL_CTX_set1_groups_list(context, list);
}

static inline void tapeline_ssl_context_add_mode(SSL_CTX *context, long mode) {
  SSL_CTX_set_mode(context, mode);
}

static inline void tapeline_ssl_context_set_session_cache(SSL_CTX *context, long mode) {
  SSL_CTX_set_session_cache_mode(context, mode);
}

static inline void tapeline_ssl_context_set_server_name_callback(
    SSL_CTX *context, int (*callback)(SSL *ssl, int *alert, void *argument)) {
  SSL_CTX_set_tlsext_servername_callback(context, callback);
}

static inline void tapeline_ssl_context_set_stapling_callback(SSL_CTX *context, int (*callback)(SSL *ssl, void *argument)) {
  SSL_CTX_set_tlsext_status_cb(context, callback);
}

static const uint64_t tapeline_ssl_no_renegotiation = SSL_OP_NO_RENEGOTIATION;
static const uint64_t tapeline_ssl_no_ticket = SSL_OP_NO_TICKET;
static const uint64_t tapeline_ssl_no_compression = SSL_OP_NO_COMPRESSION;
static const uint64_t tapeline_ssl_server_preference = SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA;

// Connections.

static inline long tapeline_ssl_set_server_name(SSL *ssl, const char *name) {
  return SSL_set_tlsext_host_name(ssl, name);
}

static inline long tapeline_ssl_set_maximum_version(SSL *ssl, int version) {
  return SSL_set_max_proto_version(ssl, version);
}

static inline long tapeline_ssl_add_chain_certificate(SSL *ssl, X509 *certificate) {
  return SSL_add1_chain_cert(ssl, certificate);
}

static inline long tapeline_ssl_ask_for_stapled_response(SSL *ssl) {
  return SSL_set_tlsext_status_type(ssl, TLSEXT_STATUSTYPE_ocsp);
}

// The bytes that a server has stapled, borrowed from the connection; -1 without any.
static inline long tapeline_ssl_stapled_response(SSL *ssl, const unsigned char **bytes) {
  return SSL_get_tlsext_status_ocsp_resp(ssl, bytes);
}

static inline size_t tapeline_bio_pending(BIO *bio) {
  return BIO_ctrl_pending(bio);
}

// What a BIO says with bytes it does not have.
static const int tapeline_bio_retry_flags = BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY;

// Certificates.

// As in RFC 2253, but what is not ASCII stays readable.
static const unsigned long tapeline_x509_name_format = XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB;

// The first certificate that the peer sent, if it sent any: known before it is verified. Borrowed from the connection.
static inline X509 *tapeline_ssl_presented_certificate(const SSL *ssl) {
  STACK_OF(X509) *chain = SSL_get_peer_cert_chain(ssl);
  return sk_X509_num(chain) > 0 ? sk_X509_value(chain, 0) : NULL;
}

// What OpenSSL allocated for its caller.
static inline void tapeline_openssl_free(void *memory) {
  OPENSSL_free(memory);
}

static inline STACK_OF(X509) *tapeline_x509_stack_make(void) {
  return sk_X509_new_null();
}

// The certificates stay the caller's.
static inline void tapeline_x509_stack_free(STACK_OF(X509) *stack) {
  sk_X509_free(stack);
}

static inline int tapeline_x509_stack_append(STACK_OF(X509) *stack, X509 *certificate) {
  return sk_X509_push(stack, certificate);
}

static inline int tapeline_x509_stack_count(const STACK_OF(X509) *stack) {
  return sk_X509_num(stack);
}

static inline X509 *tapeline_x509_stack_value(const STACK_OF(X509) *stack, int index) {
  return sk_X509_value(stack, index);
}

// Owns its certificates.
static inline void tapeline_x509_stack_free_all(STACK_OF(X509) *stack) {
  sk_X509_pop_free(stack, X509_free);
}

static inline STACK_OF(X509_CRL) *tapeline_crl_stack_make(void) {
  return sk_X509_CRL_new_null();
}

// The lists stay the caller's.
static inline void tapeline_crl_stack_free(STACK_OF(X509_CRL) *stack) {
  sk_X509_CRL_free(stack);
}

static inline int tapeline_crl_stack_append(STACK_OF(X509_CRL) *stack, X509_CRL *list) {
  return sk_X509_CRL_push(stack, list);
}

static inline int tapeline_general_names_count(const GENERAL_NAMES *names) {
  return sk_GENERAL_NAME_num(names);
}

// The bytes of a DNS name or an address, borrowed from `names`; NULL for the other kinds.
static inline const unsigned char *tapeline_general_name(const GENERAL_NAMES *names, int index, bool *is_address, int *count) {
  int kind = 0;
  const ASN1_STRING *value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names, index), &kind);
  if (kind != GEN_DNS && kind != GEN_IPADD) return NULL;
  *is_address = kind == GEN_IPADD;
  *count = ASN1_STRING_length(value);
  return ASN1_STRING_get0_data(value);
}

// Seconds since 1970. False when the time is written wrongly.
static inline bool tapeline_asn1_unix_seconds(const ASN1_TIME *time, int64_t *seconds) {
  struct tm calendar;
  if (ASN1_TIME_to_tm(time, &calendar) != 1) return false;
  *seconds = timegm(&calendar);
  return true;
}

// Keys.

// EVP_EC_gen is a macro over a variadic function. NULL: OpenSSL refused, and its error queue says why.
static inline EVP_PKEY *tapeline_pkey_make_p256(void) {
  return EVP_EC_gen("P-256");
}

#endif
