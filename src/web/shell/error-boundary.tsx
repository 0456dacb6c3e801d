/** A fault in one view leaves the others usable. */
import { Component, type ComponentChildren } from 'preact';

export class ErrorBoundary extends Component<{ readonly children: ComponentChildren }, { readonly message: string }> {
  override state = { message: '' };

  static override getDerivedStateFromError(error: unknown): { message: string } {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render() {
    if (this.state.message === '') return this.props.children;
    return (
      <div class="note note-bad" role="alert">
        <p>
          <strong>This view has a fault: {this.state.message}</strong>
        </p>
        <p>The other views still work. Load the page again to try once more.</p>
      </div>
    );
  }
}
