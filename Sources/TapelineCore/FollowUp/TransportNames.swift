// Those who import the core need no other module to name tasks, metrics, credentials and proxies.
@_exported public import TapelineTransport
