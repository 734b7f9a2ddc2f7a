/// A bound on what a peer can make us hold of a head, a trailer section or the lines of chunks.
package enum HeadBound: Hashable, Sendable {
  /// Bytes of the field lines, or of a start line, a trailer section, a chunk's extension.
  case size
  /// Field lines.
  case fields
}

/// Bytes that are not a message, or that some reader could take for several messages. Their connection is not used again.
package struct HTTPParseError: Error, Hashable, Sendable {
  package let kind: Kind
  package let part: Part

  init(_ kind: Kind, in part: Part) {
    self.kind = kind
    self.part = part
  }

  /// The part that was being read: a request is refused with the rule's status, a response with 502.
  package enum Part: Hashable, Sendable {
    case request
    case response
  }

  /// The status to answer the client with.
  package var status: Int {
    switch part {
    case .request: kind.requestStatus
    case .response: 502
    }
  }

  /// Whether a bound on the start line or the header fields was exceeded (RFC 9209 2.3.19).
  package var isAboutSize: Bool {
    kind == .statusLineTooLong || kind == .requestLineTooLong || kind == .headerBlockTooLarge || kind == .tooManyFields
  }

  /// The bound of ours that was exceeded.
  package var bound: HeadBound? {
    if kind == .tooManyFields { return .fields }
    let isAboutSize =
      self.isAboutSize || kind == .chunkExtensionTooLong || kind == .trailersTooLarge
      || kind == .tooManyInformationalResponses
    return isAboutSize ? .size : nil
  }

  /// The name by which the user may lift the rule that was broken (`Tolerance`).
  package var toleration: String? {
    Tolerance.all.contains { $0.refusal == kind } ? kind.rawValue : nil
  }

  /// Whether the message's transfer coding cannot be undone (RFC 9209 2.3.24).
  package var isAboutTransferCoding: Bool {
    kind == .invalidTransferEncoding || kind == .unchunkedTransferEncoding || kind == .unknownTransferCoding
      || kind == .repeatedChunked
  }

  /// A sentence for people, with the rule.
  package var message: String {
    switch part {
    case .request: "The request was refused: \(kind.text)."
    case .response: "The origin's response was refused: \(kind.text)."
    }
  }

  /// The rule that was broken.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    // Start lines.
    case invalidRequestLine = "invalid-request-line"
    case requestLineTooLong = "request-line-too-long"
    case invalidMethod = "invalid-method"
    case invalidTarget = "invalid-target"
    case invalidVersion = "invalid-version"
    case unsupportedVersion = "unsupported-version"
    case invalidStatusLine = "invalid-status-line"
    case statusLineTooLong = "status-line-too-long"
    // Lines and fields.
    case bareLineFeed = "bare-line-feed"
    case bareCarriageReturn = "bare-carriage-return"
    case blankBeforeColon = "blank-before-colon"
    case blankBeforeFirstField = "blank-before-first-field"
    case lineFolding = "line-folding"
    case invalidFieldName = "invalid-field-name"
    case oddFieldName = "odd-field-name"
    case invalidFieldValue = "invalid-field-value"
    case headerBlockTooLarge = "header-block-too-large"
    case tooManyFields = "too-many-fields"
    case missingHost = "missing-host"
    case severalHosts = "several-hosts"
    case invalidHost = "invalid-host"
    // Framing.
    case bothFramings = "both-framings"
    case severalContentLengths = "several-content-lengths"
    case invalidContentLength = "invalid-content-length"
    case transferEncodingInHTTP10 = "transfer-encoding-in-http10"
    case invalidTransferEncoding = "invalid-transfer-encoding"
    case unchunkedTransferEncoding = "unchunked-transfer-encoding"
    case repeatedChunked = "repeated-chunked"
    case underscoreFraming = "underscore-framing"
    case unknownTransferCoding = "unknown-transfer-coding"
    case contentInConnect = "content-in-connect"
    // Chunks.
    case invalidChunkSize = "invalid-chunk-size"
    case chunkSizeOverflow = "chunk-size-overflow"
    case invalidChunkExtension = "invalid-chunk-extension"
    case chunkExtensionTooLong = "chunk-extension-too-long"
    case invalidChunkEnd = "invalid-chunk-end"
    case trailersTooLarge = "trailers-too-large"
    // The connection.
    case truncatedHead = "truncated-head"
    case truncatedBody = "truncated-body"
    case unsolicitedBytes = "unsolicited-bytes"
    case tooManyInformationalResponses = "too-many-informational-responses"
  }
}

extension HTTPParseError.Kind {
  /// RFC 9110 15.5 and 15.6.
  fileprivate var requestStatus: Int {
    switch self {
    case .requestLineTooLong: 414
    case .headerBlockTooLarge, .tooManyFields, .trailersTooLarge: 431
    case .unknownTransferCoding: 501
    case .unsupportedVersion: 505
    case .invalidRequestLine, .invalidMethod, .invalidTarget, .invalidVersion, .invalidStatusLine, .statusLineTooLong,
      .bareLineFeed, .bareCarriageReturn, .blankBeforeColon, .blankBeforeFirstField, .lineFolding, .invalidFieldName,
      .oddFieldName,
      .invalidFieldValue, .missingHost, .severalHosts, .invalidHost, .bothFramings, .severalContentLengths,
      .invalidContentLength, .transferEncodingInHTTP10, .invalidTransferEncoding, .unchunkedTransferEncoding, .repeatedChunked,
      .underscoreFraming, .contentInConnect,
      .invalidChunkSize, .chunkSizeOverflow, .invalidChunkExtension, .chunkExtensionTooLong, .invalidChunkEnd, .truncatedHead,
      .truncatedBody, .unsolicitedBytes, .tooManyInformationalResponses:
      400
    }
  }

  fileprivate var text: String {
    switch self {
    case .invalidRequestLine: "the request line is not method, target and version with single spaces (RFC 9112 3)"
    case .requestLineTooLong: "the request line is longer than the limit (RFC 9112 3)"
    case .invalidMethod: "the method is no token (RFC 9110 9.1)"
    case .invalidTarget: "the request target has none of the four forms, or the wrong one for its method (RFC 9112 3.2)"
    case .invalidVersion: "the HTTP version is malformed (RFC 9112 2.3)"
    case .unsupportedVersion: "the major HTTP version is not 1 (RFC 9110 15.6.6)"
    case .invalidStatusLine: "the status line is not version, three digits and reason (RFC 9112 4)"
    case .statusLineTooLong: "the status line is longer than the limit (RFC 9112 4)"
    case .bareLineFeed: "a line ends with LF alone (RFC 9112 2.2)"
    case .bareCarriageReturn: "a CR is not followed by LF (RFC 9112 2.2)"
    case .blankBeforeColon: "there are blanks between a field name and its colon (RFC 9112 5.1)"
    case .blankBeforeFirstField: "the line after the start line begins with a blank (RFC 9112 2.2)"
    case .lineFolding: "a field value is folded over several lines (RFC 9112 5.2)"
    case .invalidFieldName: "a field name is no token, or its colon is missing (RFC 9110 5.1)"
    case .oddFieldName: "a field name has a blank, or a byte beyond ASCII (RFC 9110 5.1)"
    case .invalidFieldValue: "a field value holds a control character (RFC 9110 5.5)"
    case .headerBlockTooLarge: "the header fields are larger than the limit (RFC 9110 5.4)"
    case .tooManyFields: "there are more field lines than the limit (RFC 9110 5.4)"
    case .missingHost: "an HTTP/1.1 request has no Host field (RFC 9112 3.2)"
    case .severalHosts: "there is more than one Host field (RFC 9112 3.2)"
    case .invalidHost: "the Host field is no host with an optional port (RFC 9110 7.2)"
    case .bothFramings: "Transfer-Encoding and Content-Length are both given (RFC 9112 6.3)"
    case .severalContentLengths: "there is more than one Content-Length, with different values (RFC 9112 6.3)"
    case .invalidContentLength: "Content-Length is no decimal number within bounds (RFC 9110 8.6)"
    case .transferEncodingInHTTP10: "Transfer-Encoding is given in HTTP/1.0 (RFC 9112 6.1)"
    case .invalidTransferEncoding: "Transfer-Encoding is no list of codings (RFC 9112 6.1)"
    case .unchunkedTransferEncoding: "Transfer-Encoding is not chunked once and last (RFC 9112 6.3)"
    case .repeatedChunked: "Transfer-Encoding names chunked more than once (RFC 9112 6.1)"
    case .underscoreFraming: "a field's name is that of a framing field to readers for which _ is - (RFC 9112 6.3)"
    case .unknownTransferCoding: "a transfer coding is not known (RFC 9112 6.1)"
    case .contentInConnect: "a CONNECT request announces content (RFC 9110 9.3.6)"
    case .invalidChunkSize: "a chunk size is no hexadecimal number (RFC 9112 7.1)"
    case .chunkSizeOverflow: "a chunk size is out of bounds (RFC 9112 7.1)"
    case .invalidChunkExtension: "a chunk extension holds a control character (RFC 9112 7.1.1)"
    case .chunkExtensionTooLong: "a chunk extension is longer than the limit (RFC 9112 7.1.1)"
    case .invalidChunkEnd: "a chunk is not followed by CRLF (RFC 9112 7.1)"
    case .trailersTooLarge: "the trailer fields are larger than the limit (RFC 9112 7.1.2)"
    case .truncatedHead: "the connection was closed inside the head (RFC 9112 8)"
    case .truncatedBody: "the connection was closed before the end of the content (RFC 9112 8)"
    case .unsolicitedBytes: "bytes came that answer no request (RFC 9112 9.2)"
    case .tooManyInformationalResponses: "the 1xx responses together are larger than the limit (RFC 9110 15.2)"
    }
  }
}
