/// What a client connection counts as in `ProxyActivity`.
enum Engagement {
  case none
  /// A request is under way.
  case exchange
  /// Octets are relayed for as long as both sides like.
  case tunnel
}
