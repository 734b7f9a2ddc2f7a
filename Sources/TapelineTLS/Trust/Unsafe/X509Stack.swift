internal import COpenSSL

/// OpenSSL's lists of certificates.
enum X509Stack {
  /// The certificates of a borrowed list; empty for `nil`.
  @unsafe
  static func certificates(in stack: OpaquePointer?) -> [X509Handle] {
    guard let stack = unsafe stack else { return [] }
    return (0..<(unsafe tapeline_x509_stack_count(stack))).compactMap { index in
      guard let certificate = unsafe tapeline_x509_stack_value(stack, index) else { return nil }
      unsafe X509_up_ref(certificate)
      return unsafe X509Handle(adopting: certificate)
    }
  }

  /// Calls `body` with a list of `certificates`, which are borrowed for the call.
  @unsafe
  static func withStack<Result, Failure: Error>(
    of certificates: some Sequence<X509Handle>, _ body: (OpaquePointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let stack = unsafe tapeline_x509_stack_make() else { preconditionFailure("OpenSSL has no memory for a list") }
    defer { unsafe tapeline_x509_stack_free(stack) }
    let held = Array(certificates)
    defer { withExtendedLifetime(held) {} }
    for certificate in held {
      let count = unsafe tapeline_x509_stack_append(stack, certificate.pointer)
      precondition(count > 0, "OpenSSL has no memory for a list")
    }
    return unsafe try body(stack)
  }
}
