-- The application adds events. It changes none, but for emptying `who` when an account is deleted.
CREATE FUNCTION audit_event_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only';
END
$$;

CREATE TRIGGER audit_event_no_update BEFORE UPDATE ON audit_event FOR EACH ROW
WHEN (
    NEW.who_id IS NOT NULL
    OR (NEW.id, NEW.at, NEW.name, NEW.did, NEW.what, NEW.detail)
        IS DISTINCT FROM (OLD.id, OLD.at, OLD.name, OLD.did, OLD.what, OLD.detail)
)
EXECUTE FUNCTION audit_event_refuse();

CREATE TRIGGER audit_event_no_delete BEFORE DELETE ON audit_event FOR EACH ROW
EXECUTE FUNCTION audit_event_refuse();

CREATE TRIGGER audit_event_no_truncate BEFORE TRUNCATE ON audit_event FOR EACH STATEMENT
EXECUTE FUNCTION audit_event_refuse();
