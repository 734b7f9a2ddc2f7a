internal import CNghttp2

/// Owns one `nghttp2_hd_inflater`: decompresses the header blocks of one direction of a connection (RFC 7541).
@safe
final class HeaderInflater {
  private let inflater: OpaquePointer

  /// The largest table that a peer may have been allowed; more than any program that is known allows.
  private static let largestTable = 1 << 20

  init() {
    var inflater: OpaquePointer?
    guard unsafe nghttp2_hd_inflate_new(&inflater) == 0, let inflater = unsafe inflater else {
      preconditionFailure("nghttp2 has no memory for an inflater")
    }
    unsafe self.inflater = unsafe inflater
    // The other direction's settings allow a size; the sender announces the size that it uses in its blocks.
    let status = unsafe nghttp2_hd_inflate_change_table_size(inflater, Self.largestTable)
    precondition(status == 0, "an inflater that has read nothing takes any table size")
  }

  deinit {
    unsafe nghttp2_hd_inflate_del(inflater)
  }

  /// The lines of a whole block; `nil` if it is malformed, or larger than `limit` bytes when decompressed. After that, no other
  /// block of the direction can be read.
  func inflate(_ block: [UInt8], limit: Int) -> HTTP2HeaderList? {
    var builder = HTTP2HeaderList.Builder()
    var offset = 0
    while true {
      var line = unsafe nghttp2_nv()
      var flags: Int32 = 0
      let used = unsafe block.withUnsafeBufferPointer { block in
        let rest = unsafe UnsafeBufferPointer(rebasing: block[offset...])
        return unsafe nghttp2_hd_inflate_hd2(inflater, &line, &flags, rest.baseAddress, rest.count, 1)
      }
      guard used >= 0 else { return nil }
      offset += Int(used)
      if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
        let name = unsafe UnsafeBufferPointer(start: line.name, count: line.namelen)
        let value = unsafe UnsafeBufferPointer(start: line.value, count: line.valuelen)
        unsafe builder.append(name: name.span, value: value.span)
        guard builder.size <= limit else { return nil }
      }
      if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
        unsafe nghttp2_hd_inflate_end_headers(inflater)
        return builder.take()
      }
      guard used > 0 || flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 else { return nil }
    }
  }
}
