// Those who import the core need no other module to name a method.
@_exported public import TapelineHTTP
