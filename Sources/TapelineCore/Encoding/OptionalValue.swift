/// An `Optional` of any type: finds a `nil` that is hidden in an `Any`.
protocol OptionalValue {
  var wrapped: Any? { get }
}

extension Optional: OptionalValue {
  var wrapped: Any? { self }
}
