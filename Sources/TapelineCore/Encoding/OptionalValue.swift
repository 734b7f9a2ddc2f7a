/// An `Optional` of any kind, where values come as `Any` and a `nil` hides in one.
protocol OptionalValue {
  var wrapped: Any? { get }
}

extension Optional: OptionalValue {
  var wrapped: Any? { self }
}
