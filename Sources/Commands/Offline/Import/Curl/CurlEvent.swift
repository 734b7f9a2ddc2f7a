/// One thing that curl's trace says of a transfer.
struct CurlEvent: Equatable {
  enum Kind: Equatable {
    /// A remark of curl: `Connected to …`.
    case info(String)
    /// A part of a head, with its line ends.
    case sentHead([UInt8])
    case receivedHead([UInt8])
    case sentData(CurlData)
    case receivedData(CurlData)
    /// Bytes of TLS, which say nothing of the exchange.
    case encrypted
  }

  let kind: Kind
  /// Nanoseconds since midnight, by the local clock; `nil` without `--trace-time`.
  let timeOfDay: Int64?
  /// The numbers of transfer and connection that `--trace-ids` writes.
  let ids: CurlIDs
}

/// The numbers that `--trace-ids` writes before each line: `[transfer-connection]`.
struct CurlIDs: Hashable {
  var transfer: Int?
  /// `nil` before the transfer has a connection.
  var connection: Int?
}

/// Content of a message.
enum CurlData: Equatable {
  case bytes([UInt8])
  /// `-v` shows that data passed, and not all of the times.
  case unseen
}

/// How much a trace shows of the data that passed.
enum CurlDetail: Equatable {
  /// `--trace`: every byte.
  case hexadecimal
  /// `--trace-ascii`: a dot for each byte that is not printable ASCII.
  case ascii
  /// `-v`: no data.
  case heads
}
