internal import ArgumentParser

/// How far the proxy may change what it records.
struct FaithfulnessOptions: ParsableArguments {
  @Flag(
    name: .customLong("share-connections"),
    help: "Let all clients share the connections to servers, instead of opening and closing each as its client does.")
  var sharesConnections = false

  @Flag(
    name: .customLong("via"),
    help: "Say in Via that messages came through here (RFC 9110 7.6.3). Some servers compress nothing then.")
  var namesItself = false
}
