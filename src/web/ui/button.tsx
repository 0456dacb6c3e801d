/** Buttons, and the button that copies a text. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps {
  readonly onClick?: () => void;
  readonly kind?: 'primary' | 'plain' | 'quiet';
  readonly icon?: IconName;
  readonly isDisabled?: boolean;
  readonly type?: 'button' | 'submit';
  readonly title?: string;
  readonly children: ComponentChildren;
}

export function Button(props: ButtonProps) {
  const { onClick, kind = 'plain', icon, isDisabled = false, type = 'button', title, children } = props;
  return (
    <button type={type} class={`button button-${kind}`} onClick={onClick} disabled={isDisabled} title={title}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

const COPIED_MS = 1_500;

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = (): void => {
    // Only secure addresses have a clipboard; elsewhere the text can still be selected.
    navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => {},
    );
  };
  return (
    <button type="button" class="button button-quiet button-icon" onClick={copy} title={label} aria-label={label}>
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span class="sr-only" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </button>
  );
}

/** A command line that does the same as a control of the interface. */
export function Command({ text, label = 'Copy the command line' }: { readonly text: string; readonly label?: string }) {
  return (
    <span class="command">
      <code tabIndex={0}>{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}
