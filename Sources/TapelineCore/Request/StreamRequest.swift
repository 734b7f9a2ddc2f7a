internal import TapelineTransport

/// A raw stream of octets both ways: a CONNECT tunnel's upstream leg.
public final class StreamRequest: Request, @unchecked Sendable {
  init(session: Session, work: SessionTask.Work, delegate: StreamTaskDelegate) {
    super.init(session: session, work: work, delegate: delegate)
  }
}
