// A program that imports the core needs no other module to name tasks, metrics, credentials and proxies.
@_exported public import TapelineTransport
