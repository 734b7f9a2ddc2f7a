import Testing

/// Everything here runs the built program with real peers. One test at a time: the clients, the proxy and the servers share
/// the machine's cores, and some tests measure time.
@Suite(.serialized) enum EndToEnd {}
