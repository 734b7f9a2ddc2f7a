import TapelineCore

/// Nobody but the holder of this certificate is talked to; it need not be one that the system trusts.
func pin(_ server: Server) async throws -> String {
  let evaluator = PinnedCertificatesTrustEvaluator(
    certificates: try Certificate.certificates(contentsOfFile: server.certificateFile), acceptSelfSignedCertificates: true)
  let pinned = Session(serverTrustManager: ServerTrustManager(evaluators: ["localhost": evaluator]))
  let tape = try await pinned.request(server.secureURL + "/tape").validate().serializingDecodable(Tape.self).value

  // Without the pin this server is a stranger.
  let refusal = await AF.request(server.secureURL + "/tape").serializingData().response
  guard let error = refusal.error else { throw Unexpected("a stranger is trusted") }
  return "\(tape.title); otherwise: \(error)"
}
