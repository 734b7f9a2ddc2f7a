internal import ArgumentParser

/// How far the proxy may change what it records.
struct FaithfulnessOptions: ParsableArguments {
  @Flag(
    name: .customLong("share-connections"),
    help: "Share the connections to servers among all clients, instead of opening and closing each as its client does.")
  var sharesConnections = false

  @Flag(
    name: .customLong("via"),
    help: "Add Via to messages (RFC 9110 7.6.3). Some servers then stop compressing.")
  var namesItself = false
}
