/// Why we answer instead of the origin, in the words of the `Proxy-Status` field (RFC 9209 2.3).
enum ProxyErrorType: String {
  case dnsTimeout = "dns_timeout"
  case dnsError = "dns_error"
  case destinationUnavailable = "destination_unavailable"
  case destinationProhibited = "destination_ip_prohibited"
  case destinationUnroutable = "destination_ip_unroutable"
  case connectionRefused = "connection_refused"
  case connectionTerminated = "connection_terminated"
  case connectionTimeout = "connection_timeout"
  case connectionReadTimeout = "connection_read_timeout"
  case connectionWriteTimeout = "connection_write_timeout"
  case connectionLimitReached = "connection_limit_reached"
  case tlsProtocolError = "tls_protocol_error"
  case tlsCertificateError = "tls_certificate_error"
  case tlsAlertReceived = "tls_alert_received"
  /// The request is at fault.
  case requestError = "http_request_error"
  /// We were told to refuse the request.
  case requestDenied = "http_request_denied"
  case responseIncomplete = "http_response_incomplete"
  case responseHeaderSectionSize = "http_response_header_section_size"
  case responseTransferCoding = "http_response_transfer_coding"
  case responseTimeout = "http_response_timeout"
  case protocolError = "http_protocol_error"
  case internalError = "proxy_internal_error"
  case configurationError = "proxy_configuration_error"
  case loopDetected = "proxy_loop_detected"
}
