/// What a client connection counts as in `ProxyActivity`.
enum Engagement {
  case none
  /// A request is under way.
  case exchange
  /// A request whose response has begun, and ends when somebody has had enough of it.
  case stream
  /// Bytes are relayed for as long as both sides like.
  case tunnel
}
