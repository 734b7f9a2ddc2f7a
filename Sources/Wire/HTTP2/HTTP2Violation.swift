package import TapelineHTTP

/// A peer's breach of the protocol. It ends a stream or the connection, and becomes the reason in an entry of the log.
package enum HTTP2Violation: Error, Hashable, Sendable {
  /// A message that two readers could understand differently, or that cannot be written as HTTP/1.1: the stream ends.
  case malformed(Malformation)
  /// A header list beyond a limit: the stream ends.
  case tooLarge(Excess)
  /// More of something than a limit allows: the connection ends.
  case flood(Flood)
  /// A breach of the rules of frames, streams, compression or flow control, which nghttp2 found: the connection ends by this
  /// code.
  case connectionError(HTTP2ErrorCode)
  /// The same, for one stream.
  case streamError(HTTP2ErrorCode)

  /// The code by which we tell the peer.
  package var code: HTTP2ErrorCode {
    switch self {
    case .malformed, .flood(.pushes), .flood(.priorityOfConnection): .protocolError
    case .tooLarge, .flood: .enhanceYourCalm
    case .connectionError(let code), .streamError(let code): code
    }
  }

  /// The reason in one word, for logs.
  package var name: String {
    switch self {
    case .malformed(let reason): reason.rawValue
    case .tooLarge(let reason): reason.rawValue
    case .flood(let reason): reason.rawValue
    case .connectionError(let code), .streamError(let code): code.name
    }
  }

  /// The bound of ours that was exceeded.
  package var bound: HeadBound? {
    switch self {
    case .tooLarge(.headerList), .flood(.headerBlock), .flood(.continuations), .malformed(.tooManyInterimResponses): .size
    case .tooLarge(.headerLines): .fields
    case .malformed, .flood, .connectionError, .streamError: nil
    }
  }

  /// The name by which the user may lift the rule that was broken (`Tolerance`).
  package var toleration: String? {
    switch self {
    case .malformed(.underscoreFraming): Malformation.underscoreFraming.rawValue
    case .malformed, .tooLarge, .flood, .connectionError, .streamError: nil
    }
  }

  /// Why a message is malformed (RFC 9113 8.1.1).
  package enum Malformation: String, CaseIterable, Error, Hashable, Sendable {
    // Lines (RFC 9113 8.2).
    case invalidFieldName = "invalid-field-name"
    case uppercaseFieldName = "uppercase-field-name"
    case invalidFieldValue = "invalid-field-value"
    case connectionField = "connection-specific-field"
    case invalidTE = "te-other-than-trailers"
    case underscoreFraming = "underscore-framing"
    // Pseudo-fields (RFC 9113 8.3).
    case unknownPseudoField = "unknown-pseudo-field"
    case repeatedPseudoField = "repeated-pseudo-field"
    case latePseudoField = "pseudo-field-after-field"
    case missingPseudoField = "missing-pseudo-field"
    case unexpectedPseudoField = "unexpected-pseudo-field"
    case invalidMethod = "invalid-method"
    case invalidScheme = "invalid-scheme"
    case invalidAuthority = "invalid-authority"
    case invalidPath = "invalid-path"
    case invalidStatus = "invalid-status"
    case invalidProtocol = "invalid-protocol"
    case unofferedProtocol = "extended-connect-not-offered"
    // Fields with a meaning for framing and routing.
    case missingAuthority = "missing-authority"
    case severalHosts = "several-hosts"
    case differentHost = "host-differs-from-authority"
    case invalidContentLength = "invalid-content-length"
    case differentContentLength = "content-length-differs-from-data"
    case forbiddenContent = "content-where-none-is-allowed"
    // The order of frames (RFC 9113 8.1).
    case dataBeforeHead = "data-before-head"
    case endBeforeHead = "end-before-final-head"
    case switchingProtocols = "status-101"
    case tooManyInterimResponses = "too-many-interim-responses"
    case trailersWithoutEnd = "trailers-without-end-of-stream"
  }

  package enum Excess: String, CaseIterable, Hashable, Sendable {
    case headerList = "header-list-too-large"
    case headerLines = "too-many-header-lines"
  }

  package enum Flood: String, CaseIterable, Hashable, Sendable {
    case continuations = "too-many-continuations"
    case headerBlock = "header-block-too-large"
    case resets = "too-many-resets"
    case youngResets = "too-many-young-resets"
    case settings = "too-many-settings"
    case pings = "too-many-pings"
    case emptyData = "too-many-empty-data-frames"
    case windowUpdates = "too-many-window-updates"
    case priorities = "too-many-priority-frames"
    case otherFrames = "too-many-other-frames"
    case queuedFrames = "answers-not-read"
    case pushes = "push-promise"
    case priorityOfConnection = "priority-on-stream-0"
  }
}
