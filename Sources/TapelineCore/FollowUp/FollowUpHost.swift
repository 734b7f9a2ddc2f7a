package import TapelineLoop
package import TapelineTransport

/// The parts of a request that the follow-ups need. Everything is called on the loop of its task.
package protocol FollowUpHost: AnyObject, Sendable {
  var loop: EventLoop { get }
  /// Where redirect handlers run.
  var followUpContext: any SerialContext { get }
  /// How a request goes on the wire, with the host's own body.
  func outgoing(for request: URLRequest) throws -> OutgoingRequest
  /// Prepares the body to be sent again from its start; `false` if that is impossible.
  func renewBody() -> Bool
  /// A redirection is followed with this request.
  func willFollow(_ request: URLRequest, after response: HTTPURLResponse)
  /// The task will be cancelled because of this.
  func didFailToFollow(_ error: TapelineError)
}
