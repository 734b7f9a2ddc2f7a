internal import TapelineCore
internal import TapelineLoop

/// A client's destination, as far as it is known before its first byte. A listener has one for all its clients; what becomes
/// of it is the `Door` in a record.
enum Entrance: Sendable {
  /// Nothing: the client will name it.
  case proxy
  /// All clients of the listener mean this origin, and do not know that there is a proxy. Apart, because every client has an
  /// entrance, and hardly any this one.
  indirect case origin(ReverseOrigin)
  /// The address that it has connected to: our end's. The client is in a network of its own, and does not know that there is a
  /// proxy.
  case network

  /// How a client has come that has said nothing yet.
  var door: Door {
    switch self {
    case .proxy: .proxy
    case .origin(let origin): .reverse(origin: origin.description)
    case .network: .network
    }
  }
}

/// A place where each loop listens, and what its clients mean.
struct ListeningPlace: Sendable {
  enum Socket: Sendable {
    /// Each loop has its own socket, and the kernel distributes the clients.
    case address(SocketAddress)
    /// All loops have the same.
    case shared(SharedListeningSocket)
  }

  let socket: Socket
  let entrance: Entrance
  /// Among the places with addresses.
  var number = 0

  /// The name under which a loop's socket there outlives a crash.
  static func keptName(_ number: Int, loop: Int) -> String { "listener \(number) \(loop)" }
}
