package import TapelineLoop
package import TapelineTransport

/// What the follow-ups need of a request. Everything is called on the loop of its task.
package protocol FollowUpHost: AnyObject, Sendable {
  var loop: EventLoop { get }
  /// Where redirect handlers run.
  var followUpContext: any SerialContext { get }
  /// How a request goes on the wire, with the host's own body.
  func outgoing(for request: URLRequest) throws -> OutgoingRequest
  /// Has the body begin anew; `false` when it cannot be sent again.
  func renewBody() -> Bool
  /// A redirection is followed with this request.
  func willFollow(_ request: URLRequest, after response: HTTPURLResponse)
  /// The task will be cancelled because of this.
  func didFailToFollow(_ error: TapelineError)
}
