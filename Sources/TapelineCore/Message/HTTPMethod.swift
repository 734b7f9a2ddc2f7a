// A file that imports the core needs no other module to name a method.
@_exported public import TapelineHTTP
