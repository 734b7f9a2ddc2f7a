import COpenSSL

@testable import TapelineTLS

extension TLSServerContext {
  /// From here on the server chooses HTTP/2 where it is offered. Of other offers it takes no notice, as nghttpd, instead of
  /// refusing them (RFC 7301 3.2).
  func ignoreOtherOffers() {
    unsafe SSL_CTX_set_alpn_select_cb(handle.pointer, http2IsChosen, nil)
  }
}

private func http2IsChosen(
  _: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ chosenCount: UnsafeMutablePointer<UInt8>?,
  _ offered: UnsafePointer<UInt8>?, _ offeredCount: UInt32, _: UnsafeMutableRawPointer?
) -> Int32 {
  let list = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredCount))
  guard let match = unsafe list.firstRange(of: ApplicationProtocol.encode([.http2])) else { return SSL_TLSEXT_ERR_NOACK }
  unsafe chosen?.pointee = list.baseAddress?.advanced(by: match.lowerBound + 1)
  unsafe chosenCount?.pointee = UInt8(match.count - 1)
  return SSL_TLSEXT_ERR_OK
}
