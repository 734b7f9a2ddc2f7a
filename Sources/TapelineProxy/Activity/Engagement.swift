/// The kind as which a client connection counts in `ProxyActivity`.
enum Engagement {
  case none
  /// A request is in flight.
  case exchange
  /// A request whose response has begun, and ends when one side has had enough of it.
  case stream
  /// Bytes are relayed for as long as both sides like.
  case tunnel
}
