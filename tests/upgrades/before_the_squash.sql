BEGIN TRANSACTION;
CREATE TABLE "account_emailaddress" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "verified" bool NOT NULL, "primary" bool NOT NULL, "user_id" integer NOT NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "email" varchar(254) NOT NULL);
CREATE TABLE "account_emailconfirmation" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "created" datetime NOT NULL, "sent" datetime NULL, "key" varchar(64) NOT NULL UNIQUE, "email_address_id" integer NOT NULL REFERENCES "account_emailaddress" ("id") DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE "accounts_attempt" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "at" datetime NOT NULL, "kind" varchar(40) NOT NULL, "name" varchar(200) NOT NULL, "address" varchar(64) NOT NULL);
CREATE TABLE "accounts_cache" (
    "cache_key" varchar(255) NOT NULL PRIMARY KEY,
    "value" text NOT NULL,
    "expires" datetime NOT NULL
);
CREATE TABLE "accounts_person" ("user_id" integer NOT NULL PRIMARY KEY REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "role" varchar(16) NOT NULL, "must_change_password" bool NOT NULL, "one_time_until" datetime NULL, CONSTRAINT "role_is_known" CHECK ("role" IN ('viewer', 'operator', 'administrator')));
INSERT INTO "accounts_person" VALUES(1,'administrator',0,NULL);
CREATE TABLE "api_apitoken" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "name" varchar(80) NOT NULL, "prefix" varchar(20) NOT NULL, "token_hash" varchar(64) NOT NULL UNIQUE, "scopes" text NOT NULL CHECK ((JSON_VALID("scopes") OR "scopes" IS NULL)), "created_at" datetime NOT NULL, "expires_at" datetime NOT NULL, "used_at" datetime NULL, "revoked_at" datetime NULL, "user_id" integer NOT NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE "api_startkey" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "key" varchar(255) NOT NULL, "request_hash" varchar(64) NOT NULL, "created_at" datetime NOT NULL, "experiment_id" bigint NOT NULL REFERENCES "experiments_experiment" ("id") DEFERRABLE INITIALLY DEFERRED, "user_id" integer NOT NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, CONSTRAINT "one_start_per_key" UNIQUE ("user_id", "key"));
CREATE TABLE "audit_event" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "at" datetime NOT NULL, "name" varchar(150) NOT NULL, "what" varchar(200) NOT NULL, "detail" text NOT NULL CHECK ((JSON_VALID("detail") OR "detail" IS NULL)), "who_id" integer NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "did" varchar(40) NOT NULL);
INSERT INTO "audit_event" VALUES(1,'2026-11-23 01:52:11.260785','maria','db7 in rack 3','{}',1,'saved');
CREATE TABLE "auth_group" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "name" varchar(150) NOT NULL UNIQUE);
CREATE TABLE "auth_group_permissions" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "group_id" integer NOT NULL REFERENCES "auth_group" ("id") DEFERRABLE INITIALLY DEFERRED, "permission_id" integer NOT NULL REFERENCES "auth_permission" ("id") DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE "auth_permission" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "content_type_id" integer NOT NULL REFERENCES "django_content_type" ("id") DEFERRABLE INITIALLY DEFERRED, "codename" varchar(100) NOT NULL, "name" varchar(255) NOT NULL);
INSERT INTO "auth_permission" VALUES(1,1,'add_permission','Can add permission');
INSERT INTO "auth_permission" VALUES(2,1,'change_permission','Can change permission');
INSERT INTO "auth_permission" VALUES(3,1,'delete_permission','Can delete permission');
INSERT INTO "auth_permission" VALUES(4,1,'view_permission','Can view permission');
INSERT INTO "auth_permission" VALUES(5,2,'add_group','Can add group');
INSERT INTO "auth_permission" VALUES(6,2,'change_group','Can change group');
INSERT INTO "auth_permission" VALUES(7,2,'delete_group','Can delete group');
INSERT INTO "auth_permission" VALUES(8,2,'view_group','Can view group');
INSERT INTO "auth_permission" VALUES(9,3,'add_user','Can add user');
INSERT INTO "auth_permission" VALUES(10,3,'change_user','Can change user');
INSERT INTO "auth_permission" VALUES(11,3,'delete_user','Can delete user');
INSERT INTO "auth_permission" VALUES(12,3,'view_user','Can view user');
INSERT INTO "auth_permission" VALUES(13,4,'add_contenttype','Can add content type');
INSERT INTO "auth_permission" VALUES(14,4,'change_contenttype','Can change content type');
INSERT INTO "auth_permission" VALUES(15,4,'delete_contenttype','Can delete content type');
INSERT INTO "auth_permission" VALUES(16,4,'view_contenttype','Can view content type');
INSERT INTO "auth_permission" VALUES(17,5,'add_session','Can add session');
INSERT INTO "auth_permission" VALUES(18,5,'change_session','Can change session');
INSERT INTO "auth_permission" VALUES(19,5,'delete_session','Can delete session');
INSERT INTO "auth_permission" VALUES(20,5,'view_session','Can view session');
INSERT INTO "auth_permission" VALUES(21,6,'add_emailaddress','Can add email address');
INSERT INTO "auth_permission" VALUES(22,6,'change_emailaddress','Can change email address');
INSERT INTO "auth_permission" VALUES(23,6,'delete_emailaddress','Can delete email address');
INSERT INTO "auth_permission" VALUES(24,6,'view_emailaddress','Can view email address');
INSERT INTO "auth_permission" VALUES(25,7,'add_emailconfirmation','Can add email confirmation');
INSERT INTO "auth_permission" VALUES(26,7,'change_emailconfirmation','Can change email confirmation');
INSERT INTO "auth_permission" VALUES(27,7,'delete_emailconfirmation','Can delete email confirmation');
INSERT INTO "auth_permission" VALUES(28,7,'view_emailconfirmation','Can view email confirmation');
INSERT INTO "auth_permission" VALUES(29,8,'add_authenticator','Can add authenticator');
INSERT INTO "auth_permission" VALUES(30,8,'change_authenticator','Can change authenticator');
INSERT INTO "auth_permission" VALUES(31,8,'delete_authenticator','Can delete authenticator');
INSERT INTO "auth_permission" VALUES(32,8,'view_authenticator','Can view authenticator');
INSERT INTO "auth_permission" VALUES(33,9,'add_socialaccount','Can add social account');
INSERT INTO "auth_permission" VALUES(34,9,'change_socialaccount','Can change social account');
INSERT INTO "auth_permission" VALUES(35,9,'delete_socialaccount','Can delete social account');
INSERT INTO "auth_permission" VALUES(36,9,'view_socialaccount','Can view social account');
INSERT INTO "auth_permission" VALUES(37,10,'add_socialapp','Can add social application');
INSERT INTO "auth_permission" VALUES(38,10,'change_socialapp','Can change social application');
INSERT INTO "auth_permission" VALUES(39,10,'delete_socialapp','Can delete social application');
INSERT INTO "auth_permission" VALUES(40,10,'view_socialapp','Can view social application');
INSERT INTO "auth_permission" VALUES(41,11,'add_socialtoken','Can add social application token');
INSERT INTO "auth_permission" VALUES(42,11,'change_socialtoken','Can change social application token');
INSERT INTO "auth_permission" VALUES(43,11,'delete_socialtoken','Can delete social application token');
INSERT INTO "auth_permission" VALUES(44,11,'view_socialtoken','Can view social application token');
INSERT INTO "auth_permission" VALUES(45,12,'add_usersession','Can add user session');
INSERT INTO "auth_permission" VALUES(46,12,'change_usersession','Can change user session');
INSERT INTO "auth_permission" VALUES(47,12,'delete_usersession','Can delete user session');
INSERT INTO "auth_permission" VALUES(48,12,'view_usersession','Can view user session');
INSERT INTO "auth_permission" VALUES(49,13,'add_person','Can add person');
INSERT INTO "auth_permission" VALUES(50,13,'change_person','Can change person');
INSERT INTO "auth_permission" VALUES(51,13,'delete_person','Can delete person');
INSERT INTO "auth_permission" VALUES(52,13,'view_person','Can view person');
INSERT INTO "auth_permission" VALUES(53,14,'add_attempt','Can add attempt');
INSERT INTO "auth_permission" VALUES(54,14,'change_attempt','Can change attempt');
INSERT INTO "auth_permission" VALUES(55,14,'delete_attempt','Can delete attempt');
INSERT INTO "auth_permission" VALUES(56,14,'view_attempt','Can view attempt');
INSERT INTO "auth_permission" VALUES(57,15,'add_event','Can add event');
INSERT INTO "auth_permission" VALUES(58,15,'change_event','Can change event');
INSERT INTO "auth_permission" VALUES(59,15,'delete_event','Can delete event');
INSERT INTO "auth_permission" VALUES(60,15,'view_event','Can view event');
INSERT INTO "auth_permission" VALUES(61,16,'add_worker','Can add worker');
INSERT INTO "auth_permission" VALUES(62,16,'change_worker','Can change worker');
INSERT INTO "auth_permission" VALUES(63,16,'delete_worker','Can delete worker');
INSERT INTO "auth_permission" VALUES(64,16,'view_worker','Can view worker');
INSERT INTO "auth_permission" VALUES(65,17,'add_hostlease','Can add host lease');
INSERT INTO "auth_permission" VALUES(66,17,'change_hostlease','Can change host lease');
INSERT INTO "auth_permission" VALUES(67,17,'delete_hostlease','Can delete host lease');
INSERT INTO "auth_permission" VALUES(68,17,'view_hostlease','Can view host lease');
INSERT INTO "auth_permission" VALUES(69,18,'add_installation','Can add installation');
INSERT INTO "auth_permission" VALUES(70,18,'change_installation','Can change installation');
INSERT INTO "auth_permission" VALUES(71,18,'delete_installation','Can delete installation');
INSERT INTO "auth_permission" VALUES(72,18,'view_installation','Can view installation');
INSERT INTO "auth_permission" VALUES(73,19,'add_server','Can add server');
INSERT INTO "auth_permission" VALUES(74,19,'change_server','Can change server');
INSERT INTO "auth_permission" VALUES(75,19,'delete_server','Can delete server');
INSERT INTO "auth_permission" VALUES(76,19,'view_server','Can view server');
INSERT INTO "auth_permission" VALUES(77,20,'add_preflight','Can add preflight');
INSERT INTO "auth_permission" VALUES(78,20,'change_preflight','Can change preflight');
INSERT INTO "auth_permission" VALUES(79,20,'delete_preflight','Can delete preflight');
INSERT INTO "auth_permission" VALUES(80,20,'view_preflight','Can view preflight');
INSERT INTO "auth_permission" VALUES(81,21,'add_debt','Can add debt');
INSERT INTO "auth_permission" VALUES(82,21,'change_debt','Can change debt');
INSERT INTO "auth_permission" VALUES(83,21,'delete_debt','Can delete debt');
INSERT INTO "auth_permission" VALUES(84,21,'view_debt','Can view debt');
INSERT INTO "auth_permission" VALUES(85,22,'add_cell','Can add cell');
INSERT INTO "auth_permission" VALUES(86,22,'change_cell','Can change cell');
INSERT INTO "auth_permission" VALUES(87,22,'delete_cell','Can delete cell');
INSERT INTO "auth_permission" VALUES(88,22,'view_cell','Can view cell');
INSERT INTO "auth_permission" VALUES(89,23,'add_environment','Can add environment');
INSERT INTO "auth_permission" VALUES(90,23,'change_environment','Can change environment');
INSERT INTO "auth_permission" VALUES(91,23,'delete_environment','Can delete environment');
INSERT INTO "auth_permission" VALUES(92,23,'view_environment','Can view environment');
INSERT INTO "auth_permission" VALUES(93,24,'add_run','Can add run');
INSERT INTO "auth_permission" VALUES(94,24,'change_run','Can change run');
INSERT INTO "auth_permission" VALUES(95,24,'delete_run','Can delete run');
INSERT INTO "auth_permission" VALUES(96,24,'view_run','Can view run');
INSERT INTO "auth_permission" VALUES(97,25,'add_experiment','Can add experiment');
INSERT INTO "auth_permission" VALUES(98,25,'change_experiment','Can change experiment');
INSERT INTO "auth_permission" VALUES(99,25,'delete_experiment','Can delete experiment');
INSERT INTO "auth_permission" VALUES(100,25,'view_experiment','Can view experiment');
INSERT INTO "auth_permission" VALUES(101,26,'add_probe','Can add probe');
INSERT INTO "auth_permission" VALUES(102,26,'change_probe','Can change probe');
INSERT INTO "auth_permission" VALUES(103,26,'delete_probe','Can delete probe');
INSERT INTO "auth_permission" VALUES(104,26,'view_probe','Can view probe');
INSERT INTO "auth_permission" VALUES(105,27,'add_evidence','Can add evidence');
INSERT INTO "auth_permission" VALUES(106,27,'change_evidence','Can change evidence');
INSERT INTO "auth_permission" VALUES(107,27,'delete_evidence','Can delete evidence');
INSERT INTO "auth_permission" VALUES(108,27,'view_evidence','Can view evidence');
INSERT INTO "auth_permission" VALUES(109,28,'add_series','Can add series');
INSERT INTO "auth_permission" VALUES(110,28,'change_series','Can change series');
INSERT INTO "auth_permission" VALUES(111,28,'delete_series','Can delete series');
INSERT INTO "auth_permission" VALUES(112,28,'view_series','Can view series');
INSERT INTO "auth_permission" VALUES(113,29,'add_trial','Can add trial');
INSERT INTO "auth_permission" VALUES(114,29,'change_trial','Can change trial');
INSERT INTO "auth_permission" VALUES(115,29,'delete_trial','Can delete trial');
INSERT INTO "auth_permission" VALUES(116,29,'view_trial','Can view trial');
INSERT INTO "auth_permission" VALUES(117,30,'add_trialevidence','Can add trial evidence');
INSERT INTO "auth_permission" VALUES(118,30,'change_trialevidence','Can change trial evidence');
INSERT INTO "auth_permission" VALUES(119,30,'delete_trialevidence','Can delete trial evidence');
INSERT INTO "auth_permission" VALUES(120,30,'view_trialevidence','Can view trial evidence');
INSERT INTO "auth_permission" VALUES(121,31,'add_comment','Can add comment');
INSERT INTO "auth_permission" VALUES(122,31,'change_comment','Can change comment');
INSERT INTO "auth_permission" VALUES(123,31,'delete_comment','Can delete comment');
INSERT INTO "auth_permission" VALUES(124,31,'view_comment','Can view comment');
INSERT INTO "auth_permission" VALUES(125,32,'add_tag','Can add tag');
INSERT INTO "auth_permission" VALUES(126,32,'change_tag','Can change tag');
INSERT INTO "auth_permission" VALUES(127,32,'delete_tag','Can delete tag');
INSERT INTO "auth_permission" VALUES(128,32,'view_tag','Can view tag');
INSERT INTO "auth_permission" VALUES(129,33,'add_words','Can add words');
INSERT INTO "auth_permission" VALUES(130,33,'change_words','Can change words');
INSERT INTO "auth_permission" VALUES(131,33,'delete_words','Can delete words');
INSERT INTO "auth_permission" VALUES(132,33,'view_words','Can view words');
INSERT INTO "auth_permission" VALUES(133,34,'add_part','Can add part');
INSERT INTO "auth_permission" VALUES(134,34,'change_part','Can change part');
INSERT INTO "auth_permission" VALUES(135,34,'delete_part','Can delete part');
INSERT INTO "auth_permission" VALUES(136,34,'view_part','Can view part');
INSERT INTO "auth_permission" VALUES(137,35,'add_sharelink','Can add share link');
INSERT INTO "auth_permission" VALUES(138,35,'change_sharelink','Can change share link');
INSERT INTO "auth_permission" VALUES(139,35,'delete_sharelink','Can delete share link');
INSERT INTO "auth_permission" VALUES(140,35,'view_sharelink','Can view share link');
INSERT INTO "auth_permission" VALUES(141,36,'add_apitoken','Can add api token');
INSERT INTO "auth_permission" VALUES(142,36,'change_apitoken','Can change api token');
INSERT INTO "auth_permission" VALUES(143,36,'delete_apitoken','Can delete api token');
INSERT INTO "auth_permission" VALUES(144,36,'view_apitoken','Can view api token');
INSERT INTO "auth_permission" VALUES(145,37,'add_startkey','Can add start key');
INSERT INTO "auth_permission" VALUES(146,37,'change_startkey','Can change start key');
INSERT INTO "auth_permission" VALUES(147,37,'delete_startkey','Can delete start key');
INSERT INTO "auth_permission" VALUES(148,37,'view_startkey','Can view start key');
INSERT INTO "auth_permission" VALUES(149,38,'add_schedule','Can add schedule');
INSERT INTO "auth_permission" VALUES(150,38,'change_schedule','Can change schedule');
INSERT INTO "auth_permission" VALUES(151,38,'delete_schedule','Can delete schedule');
INSERT INTO "auth_permission" VALUES(152,38,'view_schedule','Can view schedule');
INSERT INTO "auth_permission" VALUES(153,39,'add_night','Can add night');
INSERT INTO "auth_permission" VALUES(154,39,'change_night','Can change night');
INSERT INTO "auth_permission" VALUES(155,39,'delete_night','Can delete night');
INSERT INTO "auth_permission" VALUES(156,39,'view_night','Can view night');
INSERT INTO "auth_permission" VALUES(157,40,'add_channel','Can add channel');
INSERT INTO "auth_permission" VALUES(158,40,'change_channel','Can change channel');
INSERT INTO "auth_permission" VALUES(159,40,'delete_channel','Can delete channel');
INSERT INTO "auth_permission" VALUES(160,40,'view_channel','Can view channel');
INSERT INTO "auth_permission" VALUES(161,41,'add_delivery','Can add delivery');
INSERT INTO "auth_permission" VALUES(162,41,'change_delivery','Can change delivery');
INSERT INTO "auth_permission" VALUES(163,41,'delete_delivery','Can delete delivery');
INSERT INTO "auth_permission" VALUES(164,41,'view_delivery','Can view delivery');
INSERT INTO "auth_permission" VALUES(165,42,'add_noted','Can add noted');
INSERT INTO "auth_permission" VALUES(166,42,'change_noted','Can change noted');
INSERT INTO "auth_permission" VALUES(167,42,'delete_noted','Can delete noted');
INSERT INTO "auth_permission" VALUES(168,42,'view_noted','Can view noted');
INSERT INTO "auth_permission" VALUES(169,43,'add_track','Can add track');
INSERT INTO "auth_permission" VALUES(170,43,'change_track','Can change track');
INSERT INTO "auth_permission" VALUES(171,43,'delete_track','Can delete track');
INSERT INTO "auth_permission" VALUES(172,43,'view_track','Can view track');
INSERT INTO "auth_permission" VALUES(173,44,'add_entry','Can add entry');
INSERT INTO "auth_permission" VALUES(174,44,'change_entry','Can change entry');
INSERT INTO "auth_permission" VALUES(175,44,'delete_entry','Can delete entry');
INSERT INTO "auth_permission" VALUES(176,44,'view_entry','Can view entry');
INSERT INTO "auth_permission" VALUES(177,45,'add_change','Can add change');
INSERT INTO "auth_permission" VALUES(178,45,'change_change','Can change change');
INSERT INTO "auth_permission" VALUES(179,45,'delete_change','Can delete change');
INSERT INTO "auth_permission" VALUES(180,45,'view_change','Can view change');
CREATE TABLE "auth_user" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "password" varchar(128) NOT NULL, "last_login" datetime NULL, "is_superuser" bool NOT NULL, "username" varchar(150) NOT NULL UNIQUE, "last_name" varchar(150) NOT NULL, "email" varchar(254) NOT NULL, "is_staff" bool NOT NULL, "is_active" bool NOT NULL, "date_joined" datetime NOT NULL, "first_name" varchar(150) NOT NULL);
INSERT INTO "auth_user" VALUES(1,'pbkdf2_sha256$1000000$KvIweto4UD2tPslSKFp7He$fgpfH1VZd/MOvJE4gfrkQr+C3n52R6j8+lctGKa8InY=',NULL,0,'maria','','',0,1,'2026-11-23 01:52:09.365035','');
CREATE TABLE "auth_user_groups" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "user_id" integer NOT NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "group_id" integer NOT NULL REFERENCES "auth_group" ("id") DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE "auth_user_user_permissions" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "user_id" integer NOT NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "permission_id" integer NOT NULL REFERENCES "auth_permission" ("id") DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE "django_content_type" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "app_label" varchar(100) NOT NULL, "model" varchar(100) NOT NULL);
INSERT INTO "django_content_type" VALUES(1,'auth','permission');
INSERT INTO "django_content_type" VALUES(2,'auth','group');
INSERT INTO "django_content_type" VALUES(3,'auth','user');
INSERT INTO "django_content_type" VALUES(4,'contenttypes','contenttype');
INSERT INTO "django_content_type" VALUES(5,'sessions','session');
INSERT INTO "django_content_type" VALUES(6,'account','emailaddress');
INSERT INTO "django_content_type" VALUES(7,'account','emailconfirmation');
INSERT INTO "django_content_type" VALUES(8,'mfa','authenticator');
INSERT INTO "django_content_type" VALUES(9,'socialaccount','socialaccount');
INSERT INTO "django_content_type" VALUES(10,'socialaccount','socialapp');
INSERT INTO "django_content_type" VALUES(11,'socialaccount','socialtoken');
INSERT INTO "django_content_type" VALUES(12,'usersessions','usersession');
INSERT INTO "django_content_type" VALUES(13,'accounts','person');
INSERT INTO "django_content_type" VALUES(14,'accounts','attempt');
INSERT INTO "django_content_type" VALUES(15,'audit','event');
INSERT INTO "django_content_type" VALUES(16,'fleet','worker');
INSERT INTO "django_content_type" VALUES(17,'fleet','hostlease');
INSERT INTO "django_content_type" VALUES(18,'fleet','installation');
INSERT INTO "django_content_type" VALUES(19,'servers','server');
INSERT INTO "django_content_type" VALUES(20,'servers','preflight');
INSERT INTO "django_content_type" VALUES(21,'servers','debt');
INSERT INTO "django_content_type" VALUES(22,'experiments','cell');
INSERT INTO "django_content_type" VALUES(23,'experiments','environment');
INSERT INTO "django_content_type" VALUES(24,'experiments','run');
INSERT INTO "django_content_type" VALUES(25,'experiments','experiment');
INSERT INTO "django_content_type" VALUES(26,'experiments','probe');
INSERT INTO "django_content_type" VALUES(27,'experiments','evidence');
INSERT INTO "django_content_type" VALUES(28,'experiments','series');
INSERT INTO "django_content_type" VALUES(29,'experiments','trial');
INSERT INTO "django_content_type" VALUES(30,'experiments','trialevidence');
INSERT INTO "django_content_type" VALUES(31,'experiments','comment');
INSERT INTO "django_content_type" VALUES(32,'experiments','tag');
INSERT INTO "django_content_type" VALUES(33,'experiments','words');
INSERT INTO "django_content_type" VALUES(34,'experiments','part');
INSERT INTO "django_content_type" VALUES(35,'sharing','sharelink');
INSERT INTO "django_content_type" VALUES(36,'api','apitoken');
INSERT INTO "django_content_type" VALUES(37,'api','startkey');
INSERT INTO "django_content_type" VALUES(38,'schedules','schedule');
INSERT INTO "django_content_type" VALUES(39,'schedules','night');
INSERT INTO "django_content_type" VALUES(40,'notifications','channel');
INSERT INTO "django_content_type" VALUES(41,'notifications','delivery');
INSERT INTO "django_content_type" VALUES(42,'history','noted');
INSERT INTO "django_content_type" VALUES(43,'history','track');
INSERT INTO "django_content_type" VALUES(44,'history','entry');
INSERT INTO "django_content_type" VALUES(45,'history','change');
CREATE TABLE "django_migrations" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "app" varchar(255) NOT NULL, "name" varchar(255) NOT NULL, "applied" datetime NOT NULL);
INSERT INTO "django_migrations" VALUES(1,'contenttypes','0001_initial','2026-11-23 01:50:03.263447');
INSERT INTO "django_migrations" VALUES(2,'auth','0001_initial','2026-11-23 01:50:03.310510');
INSERT INTO "django_migrations" VALUES(3,'account','0001_initial','2026-11-23 01:50:03.395968');
INSERT INTO "django_migrations" VALUES(4,'account','0002_email_max_length','2026-11-23 01:50:03.426139');
INSERT INTO "django_migrations" VALUES(5,'account','0003_alter_emailaddress_create_unique_verified_email','2026-11-23 01:50:03.481204');
INSERT INTO "django_migrations" VALUES(6,'account','0004_alter_emailaddress_drop_unique_email','2026-11-23 01:50:03.529967');
INSERT INTO "django_migrations" VALUES(7,'account','0005_emailaddress_idx_upper_email','2026-11-23 01:50:03.572862');
INSERT INTO "django_migrations" VALUES(8,'account','0006_emailaddress_lower','2026-11-23 01:50:03.620633');
INSERT INTO "django_migrations" VALUES(9,'account','0007_emailaddress_idx_email','2026-11-23 01:50:03.732634');
INSERT INTO "django_migrations" VALUES(10,'account','0008_emailaddress_unique_primary_email_fixup','2026-11-23 01:50:03.812607');
INSERT INTO "django_migrations" VALUES(11,'account','0009_emailaddress_unique_primary_email','2026-11-23 01:50:03.869359');
INSERT INTO "django_migrations" VALUES(12,'contenttypes','0002_remove_content_type_name','2026-11-23 01:50:03.968234');
INSERT INTO "django_migrations" VALUES(13,'auth','0002_alter_permission_name_max_length','2026-11-23 01:50:04.035992');
INSERT INTO "django_migrations" VALUES(14,'auth','0003_alter_user_email_max_length','2026-11-23 01:50:04.097633');
INSERT INTO "django_migrations" VALUES(15,'auth','0004_alter_user_username_opts','2026-11-23 01:50:04.142157');
INSERT INTO "django_migrations" VALUES(16,'auth','0005_alter_user_last_login_null','2026-11-23 01:50:04.229470');
INSERT INTO "django_migrations" VALUES(17,'auth','0006_require_contenttypes_0002','2026-11-23 01:50:04.230499');
INSERT INTO "django_migrations" VALUES(18,'auth','0007_alter_validators_add_error_messages','2026-11-23 01:50:04.284875');
INSERT INTO "django_migrations" VALUES(19,'auth','0008_alter_user_username_max_length','2026-11-23 01:50:04.378547');
INSERT INTO "django_migrations" VALUES(20,'auth','0009_alter_user_last_name_max_length','2026-11-23 01:50:04.424022');
INSERT INTO "django_migrations" VALUES(21,'auth','0010_alter_group_name_max_length','2026-11-23 01:50:04.463431');
INSERT INTO "django_migrations" VALUES(22,'auth','0011_update_proxy_permissions','2026-11-23 01:50:04.502412');
INSERT INTO "django_migrations" VALUES(23,'auth','0012_alter_user_first_name_max_length','2026-11-23 01:50:04.554753');
INSERT INTO "django_migrations" VALUES(24,'accounts','0001_initial','2026-11-23 01:50:04.699402');
INSERT INTO "django_migrations" VALUES(25,'accounts','0002_attempts','2026-11-23 01:50:04.707157');
INSERT INTO "django_migrations" VALUES(26,'accounts','0003_one_time_until','2026-11-23 01:50:04.749926');
INSERT INTO "django_migrations" VALUES(27,'experiments','0001_initial','2026-11-23 01:50:04.797650');
INSERT INTO "django_migrations" VALUES(28,'servers','0001_initial','2026-11-23 01:50:04.982813');
INSERT INTO "django_migrations" VALUES(29,'fleet','0001_initial','2026-11-23 01:50:05.013076');
INSERT INTO "django_migrations" VALUES(30,'experiments','0002_initial','2026-11-23 01:50:05.461646');
INSERT INTO "django_migrations" VALUES(31,'experiments','0003_trial_trialevidence_trial_one_trial_position_each','2026-11-23 01:50:05.621775');
INSERT INTO "django_migrations" VALUES(32,'experiments','0004_experiment_production_confirmed','2026-11-23 01:50:06.035775');
INSERT INTO "django_migrations" VALUES(33,'experiments','0005_recipe_claims','2026-11-23 01:50:06.201676');
INSERT INTO "django_migrations" VALUES(34,'api','0001_initial','2026-11-23 01:50:06.263815');
INSERT INTO "django_migrations" VALUES(35,'audit','0001_initial','2026-11-23 01:50:06.372912');
INSERT INTO "django_migrations" VALUES(36,'audit','0002_event_order','2026-11-23 01:50:06.528023');
INSERT INTO "django_migrations" VALUES(37,'audit','0003_append_only','2026-11-23 01:50:06.666040');
INSERT INTO "django_migrations" VALUES(38,'fleet','0002_site','2026-11-23 01:50:06.803256');
INSERT INTO "django_migrations" VALUES(39,'servers','0002_server_crash_command_server_expendable_and_more','2026-11-23 01:50:07.828702');
INSERT INTO "django_migrations" VALUES(40,'servers','0003_owner','2026-11-23 01:50:08.110730');
INSERT INTO "django_migrations" VALUES(41,'experiments','0006_care','2026-11-23 01:50:09.390199');
INSERT INTO "django_migrations" VALUES(42,'experiments','0007_imported','2026-11-23 01:50:10.295960');
INSERT INTO "django_migrations" VALUES(43,'experiments','0008_words','2026-11-23 01:50:10.605506');
INSERT INTO "django_migrations" VALUES(44,'experiments','0009_parts','2026-11-23 01:50:10.734302');
INSERT INTO "django_migrations" VALUES(45,'experiments','0010_queued_by','2026-11-23 01:50:10.928256');
INSERT INTO "django_migrations" VALUES(46,'experiments','0011_claim','2026-11-23 01:50:11.024144');
INSERT INTO "django_migrations" VALUES(47,'experiments','0012_by_command_line','2026-11-23 01:50:11.262916');
INSERT INTO "django_migrations" VALUES(48,'fleet','0003_stuck','2026-11-23 01:50:11.299642');
INSERT INTO "django_migrations" VALUES(49,'fleet','0004_installation','2026-11-23 01:50:11.301964');
INSERT INTO "django_migrations" VALUES(50,'history','0001_initial','2026-11-23 01:50:12.071725');
INSERT INTO "django_migrations" VALUES(51,'mfa','0001_initial','2026-11-23 01:50:12.173394');
INSERT INTO "django_migrations" VALUES(52,'mfa','0002_authenticator_timestamps','2026-11-23 01:50:12.273272');
INSERT INTO "django_migrations" VALUES(53,'mfa','0003_authenticator_type_uniq','2026-11-23 01:50:12.986224');
INSERT INTO "django_migrations" VALUES(54,'notifications','0001_initial','2026-11-23 01:50:13.013774');
INSERT INTO "django_migrations" VALUES(55,'schedules','0001_initial','2026-11-23 01:50:13.168906');
INSERT INTO "django_migrations" VALUES(56,'servers','0004_site','2026-11-23 01:50:13.238497');
INSERT INTO "django_migrations" VALUES(57,'servers','0005_debt_restart','2026-11-23 01:50:13.455822');
INSERT INTO "django_migrations" VALUES(58,'servers','0006_imported','2026-11-23 01:50:13.672868');
INSERT INTO "django_migrations" VALUES(59,'servers','0007_earlier_hosts','2026-11-23 01:50:13.750102');
INSERT INTO "django_migrations" VALUES(60,'servers','0008_commands_by_and_binlog_index','2026-11-23 01:50:14.048967');
INSERT INTO "django_migrations" VALUES(61,'servers','0009_preflight_claimed','2026-11-23 01:50:14.102611');
INSERT INTO "django_migrations" VALUES(62,'sessions','0001_initial','2026-11-23 01:50:14.109896');
INSERT INTO "django_migrations" VALUES(63,'sharing','0001_initial','2026-11-23 01:50:14.280624');
INSERT INTO "django_migrations" VALUES(64,'sharing','0002_comparisons_and_embeds','2026-11-23 01:50:16.214012');
INSERT INTO "django_migrations" VALUES(65,'socialaccount','0001_initial','2026-11-23 01:50:16.472338');
INSERT INTO "django_migrations" VALUES(66,'socialaccount','0002_token_max_lengths','2026-11-23 01:50:16.669518');
INSERT INTO "django_migrations" VALUES(67,'socialaccount','0003_extra_data_default_dict','2026-11-23 01:50:16.730106');
INSERT INTO "django_migrations" VALUES(68,'socialaccount','0004_app_provider_id_settings','2026-11-23 01:50:16.896857');
INSERT INTO "django_migrations" VALUES(69,'socialaccount','0005_socialtoken_nullable_app','2026-11-23 01:50:17.040515');
INSERT INTO "django_migrations" VALUES(70,'socialaccount','0006_alter_socialaccount_extra_data','2026-11-23 01:50:17.126720');
INSERT INTO "django_migrations" VALUES(71,'usersessions','0001_initial','2026-11-23 01:50:17.253528');
CREATE TABLE "django_session" ("session_key" varchar(40) NOT NULL PRIMARY KEY, "session_data" text NOT NULL, "expire_date" datetime NOT NULL);
CREATE TABLE "experiments_cell" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "position" integer unsigned NOT NULL CHECK ("position" >= 0), "block" integer unsigned NOT NULL CHECK ("block" >= 0), "variant" varchar(80) NOT NULL, "workload" varchar(80) NOT NULL, "threads" integer unsigned NOT NULL CHECK ("threads" >= 0), "repeat" integer unsigned NOT NULL CHECK ("repeat" >= 0), "state" varchar(12) NOT NULL, "error" text NOT NULL, "mend" text NOT NULL, "started_at" datetime NULL, "ended_at" datetime NULL, "server_id" bigint NOT NULL REFERENCES "servers_server" ("id") DEFERRABLE INITIALLY DEFERRED, "experiment_id" bigint NOT NULL REFERENCES "experiments_experiment" ("id") DEFERRABLE INITIALLY DEFERRED, CONSTRAINT "one_position_each" UNIQUE ("experiment_id", "position"));
INSERT INTO "experiments_cell" VALUES(1,0,0,'0/0','update by key',8,1,'done','','',NULL,NULL,1,1);
INSERT INTO "experiments_cell" VALUES(2,1,0,'2/0','update by key',8,1,'done','','',NULL,NULL,1,1);
INSERT INTO "experiments_cell" VALUES(3,2,0,'1/1','update by key',8,1,'done','','',NULL,NULL,1,1);
INSERT INTO "experiments_cell" VALUES(4,3,1,'2/0','update by key',1,1,'done','','',NULL,NULL,1,1);
INSERT INTO "experiments_cell" VALUES(5,4,1,'0/0','update by key',1,1,'done','','',NULL,NULL,1,1);
INSERT INTO "experiments_cell" VALUES(6,5,1,'1/1','update by key',1,1,'done','','',NULL,NULL,1,1);
INSERT INTO "experiments_cell" VALUES(7,6,2,'2/0','update by key',8,2,'done','','',NULL,NULL,1,1);
INSERT INTO "experiments_cell" VALUES(8,7,2,'1/1','update by key',8,2,'done','','',NULL,NULL,1,1);
INSERT INTO "experiments_cell" VALUES(9,8,2,'0/0','update by key',8,2,'done','','',NULL,NULL,1,1);
INSERT INTO "experiments_cell" VALUES(10,9,3,'2/0','update by key',1,2,'done','','',NULL,NULL,1,1);
INSERT INTO "experiments_cell" VALUES(11,10,3,'1/1','update by key',1,2,'done','','',NULL,NULL,1,1);
INSERT INTO "experiments_cell" VALUES(12,11,3,'0/0','update by key',1,2,'done','','',NULL,NULL,1,1);
INSERT INTO "experiments_cell" VALUES(13,12,4,'2/0','update by key',1,3,'done','','',NULL,NULL,1,1);
INSERT INTO "experiments_cell" VALUES(14,13,4,'0/0','update by key',1,3,'done','','',NULL,NULL,1,1);
INSERT INTO "experiments_cell" VALUES(15,14,4,'1/1','update by key',1,3,'done','','',NULL,NULL,1,1);
INSERT INTO "experiments_cell" VALUES(16,15,5,'2/0','update by key',8,3,'done','','',NULL,NULL,1,1);
INSERT INTO "experiments_cell" VALUES(17,16,5,'0/0','update by key',8,3,'done','','',NULL,NULL,1,1);
INSERT INTO "experiments_cell" VALUES(18,17,5,'1/1','update by key',8,3,'done','','',NULL,NULL,1,1);
CREATE TABLE "experiments_comment" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "at" datetime NOT NULL, "name" varchar(150) NOT NULL, "text" text NOT NULL, "author_id" integer NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "experiment_id" bigint NOT NULL REFERENCES "experiments_experiment" ("id") DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE "experiments_environment" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "digest" varchar(64) NOT NULL UNIQUE, "data" text NOT NULL CHECK ((JSON_VALID("data") OR "data" IS NULL)));
INSERT INTO "experiments_environment" VALUES(1,'a9f2c84e94f36a25e6afbb2a904c03a59b4c9b9b4e0e276b6edac4e837ea2645','{"host": {"hostname": "db7", "cpu_model": "Model X", "cores": 2, "memory_bytes": 17179869184, "kernel": "6.1.0"}, "storage": {"file_system": "ext4", "mount_options": "rw,noatime", "device": "/dev/vdb"}, "sysbench": "1.0.20", "server": {"flavour": "mariadb", "version": "10.11.6-MariaDB", "engines": {}, "variables": {"hostname": "db7", "datadir": "/srv/mysql/data", "innodb_io_capacity": "200"}}}');
CREATE TABLE "experiments_evidence" ("run_id" bigint NOT NULL PRIMARY KEY REFERENCES "experiments_run" ("id") DEFERRABLE INITIALLY DEFERRED, "command" text NOT NULL CHECK ((JSON_VALID("command") OR "command" IS NULL)), "my_cnf" text NOT NULL, "output" text NOT NULL, "histogram" text NOT NULL CHECK ((JSON_VALID("histogram") OR "histogram" IS NULL)));
INSERT INTO "experiments_evidence" VALUES(1,'["sysbench", "/opt/lua/update_key.lua", "--mysql-host=db7.example.com", "--report interval=1", "run"]','[mysqld]
user=mysql
socket=/run/mysqld/secret.sock
datadir=/srv/mysql/data
','transactions: 100 (10.0 per sec.)
','[[1.0, 60], [2.0, 35], [3.0, 5]]');
INSERT INTO "experiments_evidence" VALUES(2,'["sysbench", "/opt/lua/update_key.lua", "--mysql-host=db7.example.com", "--report interval=1", "run"]','[mysqld]
user=mysql
socket=/run/mysqld/secret.sock
datadir=/srv/mysql/data
','transactions: 100 (10.0 per sec.)
','[[1.0, 60], [2.0, 35], [3.0, 5]]');
INSERT INTO "experiments_evidence" VALUES(3,'["sysbench", "/opt/lua/update_key.lua", "--mysql-host=db7.example.com", "--report interval=1", "run"]','[mysqld]
user=mysql
socket=/run/mysqld/secret.sock
datadir=/srv/mysql/data
','transactions: 100 (10.0 per sec.)
','[[1.0, 60], [2.0, 35], [3.0, 5]]');
INSERT INTO "experiments_evidence" VALUES(4,'["sysbench", "/opt/lua/update_key.lua", "--mysql-host=db7.example.com", "--report interval=1", "run"]','[mysqld]
user=mysql
socket=/run/mysqld/secret.sock
datadir=/srv/mysql/data
','transactions: 100 (10.0 per sec.)
','[[1.0, 60], [2.0, 35], [3.0, 5]]');
INSERT INTO "experiments_evidence" VALUES(5,'["sysbench", "/opt/lua/update_key.lua", "--mysql-host=db7.example.com", "--report interval=1", "run"]','[mysqld]
user=mysql
socket=/run/mysqld/secret.sock
datadir=/srv/mysql/data
','transactions: 100 (10.0 per sec.)
','[[1.0, 60], [2.0, 35], [3.0, 5]]');
INSERT INTO "experiments_evidence" VALUES(6,'["sysbench", "/opt/lua/update_key.lua", "--mysql-host=db7.example.com", "--report interval=1", "run"]','[mysqld]
user=mysql
socket=/run/mysqld/secret.sock
datadir=/srv/mysql/data
','transactions: 100 (10.0 per sec.)
','[[1.0, 60], [2.0, 35], [3.0, 5]]');
INSERT INTO "experiments_evidence" VALUES(7,'["sysbench", "/opt/lua/update_key.lua", "--mysql-host=db7.example.com", "--report interval=1", "run"]','[mysqld]
user=mysql
socket=/run/mysqld/secret.sock
datadir=/srv/mysql/data
','transactions: 100 (10.0 per sec.)
','[[1.0, 60], [2.0, 35], [3.0, 5]]');
INSERT INTO "experiments_evidence" VALUES(8,'["sysbench", "/opt/lua/update_key.lua", "--mysql-host=db7.example.com", "--report interval=1", "run"]','[mysqld]
user=mysql
socket=/run/mysqld/secret.sock
datadir=/srv/mysql/data
','transactions: 100 (10.0 per sec.)
','[[1.0, 60], [2.0, 35], [3.0, 5]]');
INSERT INTO "experiments_evidence" VALUES(9,'["sysbench", "/opt/lua/update_key.lua", "--mysql-host=db7.example.com", "--report interval=1", "run"]','[mysqld]
user=mysql
socket=/run/mysqld/secret.sock
datadir=/srv/mysql/data
','transactions: 100 (10.0 per sec.)
','[[1.0, 60], [2.0, 35], [3.0, 5]]');
INSERT INTO "experiments_evidence" VALUES(10,'["sysbench", "/opt/lua/update_key.lua", "--mysql-host=db7.example.com", "--report interval=1", "run"]','[mysqld]
user=mysql
socket=/run/mysqld/secret.sock
datadir=/srv/mysql/data
','transactions: 100 (10.0 per sec.)
','[[1.0, 60], [2.0, 35], [3.0, 5]]');
INSERT INTO "experiments_evidence" VALUES(11,'["sysbench", "/opt/lua/update_key.lua", "--mysql-host=db7.example.com", "--report interval=1", "run"]','[mysqld]
user=mysql
socket=/run/mysqld/secret.sock
datadir=/srv/mysql/data
','transactions: 100 (10.0 per sec.)
','[[1.0, 60], [2.0, 35], [3.0, 5]]');
INSERT INTO "experiments_evidence" VALUES(12,'["sysbench", "/opt/lua/update_key.lua", "--mysql-host=db7.example.com", "--report interval=1", "run"]','[mysqld]
user=mysql
socket=/run/mysqld/secret.sock
datadir=/srv/mysql/data
','transactions: 100 (10.0 per sec.)
','[[1.0, 60], [2.0, 35], [3.0, 5]]');
INSERT INTO "experiments_evidence" VALUES(13,'["sysbench", "/opt/lua/update_key.lua", "--mysql-host=db7.example.com", "--report interval=1", "run"]','[mysqld]
user=mysql
socket=/run/mysqld/secret.sock
datadir=/srv/mysql/data
','transactions: 100 (10.0 per sec.)
','[[1.0, 60], [2.0, 35], [3.0, 5]]');
INSERT INTO "experiments_evidence" VALUES(14,'["sysbench", "/opt/lua/update_key.lua", "--mysql-host=db7.example.com", "--report interval=1", "run"]','[mysqld]
user=mysql
socket=/run/mysqld/secret.sock
datadir=/srv/mysql/data
','transactions: 100 (10.0 per sec.)
','[[1.0, 60], [2.0, 35], [3.0, 5]]');
INSERT INTO "experiments_evidence" VALUES(15,'["sysbench", "/opt/lua/update_key.lua", "--mysql-host=db7.example.com", "--report interval=1", "run"]','[mysqld]
user=mysql
socket=/run/mysqld/secret.sock
datadir=/srv/mysql/data
','transactions: 100 (10.0 per sec.)
','[[1.0, 60], [2.0, 35], [3.0, 5]]');
INSERT INTO "experiments_evidence" VALUES(16,'["sysbench", "/opt/lua/update_key.lua", "--mysql-host=db7.example.com", "--report interval=1", "run"]','[mysqld]
user=mysql
socket=/run/mysqld/secret.sock
datadir=/srv/mysql/data
','transactions: 100 (10.0 per sec.)
','[[1.0, 60], [2.0, 35], [3.0, 5]]');
INSERT INTO "experiments_evidence" VALUES(17,'["sysbench", "/opt/lua/update_key.lua", "--mysql-host=db7.example.com", "--report interval=1", "run"]','[mysqld]
user=mysql
socket=/run/mysqld/secret.sock
datadir=/srv/mysql/data
','transactions: 100 (10.0 per sec.)
','[[1.0, 60], [2.0, 35], [3.0, 5]]');
INSERT INTO "experiments_evidence" VALUES(18,'["sysbench", "/opt/lua/update_key.lua", "--mysql-host=db7.example.com", "--report interval=1", "run"]','[mysqld]
user=mysql
socket=/run/mysqld/secret.sock
datadir=/srv/mysql/data
','transactions: 100 (10.0 per sec.)
','[[1.0, 60], [2.0, 35], [3.0, 5]]');
CREATE TABLE "experiments_experiment" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "name" varchar(120) NOT NULL, "recipe" varchar(80) NOT NULL, "plan" text NOT NULL CHECK ((JSON_VALID("plan") OR "plan" IS NULL)), "seed" bigint unsigned NOT NULL CHECK ("seed" >= 0), "state" varchar(12) NOT NULL, "cancel_asked" bool NOT NULL, "error" text NOT NULL, "mend" text NOT NULL, "phase" varchar(200) NOT NULL, "estimate_s" real NOT NULL, "created_at" datetime NOT NULL, "started_at" datetime NULL, "ended_at" datetime NULL, "baseline" varchar(80) NOT NULL, "analysis" text NOT NULL CHECK ((JSON_VALID("analysis") OR "analysis" IS NULL)), "finding" text NOT NULL, "created_by_id" integer NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "worker_id" bigint NULL REFERENCES "fleet_worker" ("id") DEFERRABLE INITIALLY DEFERRED, "production_confirmed" bool NOT NULL, "claims" text NOT NULL CHECK ((JSON_VALID("claims") OR "claims" IS NULL)), "outcomes" text NOT NULL CHECK ((JSON_VALID("outcomes") OR "outcomes" IS NULL)), "recipe_size" varchar(20) NOT NULL, "baseline_of" varchar(64) NULL UNIQUE, "deleted_at" datetime NULL, "deleted_by_id" integer NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "imported_at" datetime NULL, "imported_digest" varchar(64) NULL UNIQUE, "imported_from" text NOT NULL CHECK ((JSON_VALID("imported_from") OR "imported_from" IS NULL)), "queued_by_id" integer NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "claim" char(32) NULL, "by_command_line" bool NOT NULL, CONSTRAINT "imported_is_over" CHECK (("imported_at" IS NULL OR NOT ("state" IN ('queued', 'running')))));
INSERT INTO "experiments_experiment" VALUES(1,'What safety costs','','{"name": "What safety costs", "targets": [{"server_id": 1, "name": "db7 in rack 3", "is_sandbox": true}], "variants": [{"name": "1/1", "settings": {"sync_binlog": "1"}, "engine": "innodb", "build": "", "storage": ""}, {"name": "2/0", "settings": {"sync_binlog": "1"}, "engine": "innodb", "build": "", "storage": ""}, {"name": "0/0", "settings": {"sync_binlog": "1"}, "engine": "innodb", "build": "", "storage": ""}], "workloads": [{"label": "update by key", "key": "update_key", "params": {}}], "threads": [1, 8], "repeats": 3, "warmup_s": 1, "measure_s": 30, "table_rows": 10000, "seed": 42, "baseline": "1/1", "sources": [], "crash": {"kinds": [], "trials": 0, "control_trials": 1, "clients": 16, "load_s": 2.0, "replica": false}, "load_workers": 1, "main_variant": "", "main_threads": 0}',42,'done',0,'','','',0.0,'2026-11-23 01:52:11.139931','2026-03-01 12:00:00','2026-03-01 12:00:00','1/1','{}','',NULL,NULL,0,'{}','{}','',NULL,NULL,NULL,NULL,NULL,'{}',NULL,NULL,0);
CREATE TABLE "experiments_experiment_tags" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "experiment_id" bigint NOT NULL REFERENCES "experiments_experiment" ("id") DEFERRABLE INITIALLY DEFERRED, "tag_id" bigint NOT NULL REFERENCES "experiments_tag" ("id") DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE "experiments_part" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "attempt" datetime NOT NULL, "number" integer unsigned NOT NULL CHECK ("number" >= 0), "threads" integer unsigned NOT NULL CHECK ("threads" >= 0), "request" text NOT NULL CHECK ((JSON_VALID("request") OR "request" IS NULL)), "login" varchar(255) NOT NULL, "sysbench" varchar(20) NOT NULL, "state" varchar(8) NOT NULL, "by" varchar(140) NOT NULL, "taken_at" datetime NULL, "began_s" real NULL, "trip_s" real NULL, "load_average" real NULL, "result" text NULL CHECK ((JSON_VALID("result") OR "result" IS NULL)), "error" text NOT NULL, "mend" text NOT NULL, "cell_id" bigint NOT NULL REFERENCES "experiments_cell" ("id") DEFERRABLE INITIALLY DEFERRED, "worker_id" bigint NULL REFERENCES "fleet_worker" ("id") DEFERRABLE INITIALLY DEFERRED, CONSTRAINT "one_part_each" UNIQUE ("cell_id", "number"));
CREATE TABLE "experiments_probe" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "data" text NOT NULL CHECK ((JSON_VALID("data") OR "data" IS NULL)), "experiment_id" bigint NOT NULL REFERENCES "experiments_experiment" ("id") DEFERRABLE INITIALLY DEFERRED, "server_id" bigint NOT NULL REFERENCES "servers_server" ("id") DEFERRABLE INITIALLY DEFERRED);
INSERT INTO "experiments_probe" VALUES(1,'{"flushes": [{"way": "append", "size_bytes": 512, "n": 100, "p50_ms": 0.2, "p95_ms": 0.4, "p99_ms": 0.9, "max_ms": 2.0, "mean_ms": 0.25}, {"way": "append", "size_bytes": 4096, "n": 100, "p50_ms": 0.2, "p95_ms": 0.4, "p99_ms": 0.9, "max_ms": 2.0, "mean_ms": 0.25}, {"way": "overwrite", "size_bytes": 512, "n": 100, "p50_ms": 0.2, "p95_ms": 0.4, "p99_ms": 0.9, "max_ms": 2.0, "mean_ms": 0.25}, {"way": "overwrite", "size_bytes": 4096, "n": 100, "p50_ms": 0.2, "p95_ms": 0.4, "p99_ms": 0.9, "max_ms": 2.0, "mean_ms": 0.25}]}',1,1);
CREATE TABLE "experiments_run" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "started_at" datetime NOT NULL, "elapsed_s" real NOT NULL, "transactions" bigint unsigned NOT NULL CHECK ("transactions" >= 0), "errors" integer unsigned NOT NULL CHECK ("errors" >= 0), "tps" real NOT NULL, "latency_ms" text NOT NULL CHECK ((JSON_VALID("latency_ms") OR "latency_ms" IS NULL)), "figures" text NOT NULL CHECK ((JSON_VALID("figures") OR "figures" IS NULL)), "latencies" text NOT NULL CHECK ((JSON_VALID("latencies") OR "latencies" IS NULL)), "load_average" real NULL, "effective" text NOT NULL CHECK ((JSON_VALID("effective") OR "effective" IS NULL)), "cell_id" bigint NOT NULL UNIQUE REFERENCES "experiments_cell" ("id") DEFERRABLE INITIALLY DEFERRED, "environment_id" bigint NOT NULL REFERENCES "experiments_environment" ("id") DEFERRABLE INITIALLY DEFERRED, "probe_id" bigint NULL REFERENCES "experiments_probe" ("id") DEFERRABLE INITIALLY DEFERRED);
INSERT INTO "experiments_run" VALUES(1,'2026-03-01 12:00:00',30.0,765809,0,2.55269833333333335764e+04,'{"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "avg": 1.2, "max": 9.0}','[{"name": "redo_fsyncs", "value": 765.809, "source": "trace:redo_fsyncs", "note": ""}, {"name": "binlog_fsyncs", "value": 0, "source": "trace:binlog_fsyncs", "note": ""}, {"name": "data_fsyncs", "value": 10, "source": "trace:data_fsyncs", "note": ""}, {"name": "binlog_commits", "value": 765809, "source": "trace:binlog_commits", "note": ""}, {"name": "binlog_groups", "value": 191452.25, "source": "trace:binlog_groups", "note": ""}, {"name": "redo_bytes", "value": 382904500, "source": "trace:redo_bytes", "note": ""}]','[{"files": "redo", "source": "trace:fsync", "calls": 765809, "total_ms": 229742.69999999998, "max_ms": 4.0, "buckets": {"256": 382904, "512": 382905}}]',0.3,'{"sync_binlog": "1"}',1,1,1);
INSERT INTO "experiments_run" VALUES(2,'2026-03-01 12:00:00',30.0,386505,0,12883.51,'{"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "avg": 1.2, "max": 9.0}','[{"name": "redo_fsyncs", "value": 386.505, "source": "trace:redo_fsyncs", "note": ""}, {"name": "binlog_fsyncs", "value": 0, "source": "trace:binlog_fsyncs", "note": ""}, {"name": "data_fsyncs", "value": 10, "source": "trace:data_fsyncs", "note": ""}, {"name": "binlog_commits", "value": 386505, "source": "trace:binlog_commits", "note": ""}, {"name": "binlog_groups", "value": 96626.25, "source": "trace:binlog_groups", "note": ""}, {"name": "redo_bytes", "value": 193252500, "source": "trace:redo_bytes", "note": ""}]','[{"files": "redo", "source": "trace:fsync", "calls": 386505, "total_ms": 115951.5, "max_ms": 4.0, "buckets": {"256": 193252, "512": 193253}}]',0.3,'{"sync_binlog": "1"}',2,1,1);
INSERT INTO "experiments_run" VALUES(3,'2026-03-01 12:00:00',30.0,129531,0,4.31771999999999934495e+03,'{"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "avg": 1.2, "max": 9.0}','[{"name": "redo_fsyncs", "value": 64765.5, "source": "trace:redo_fsyncs", "note": ""}, {"name": "binlog_fsyncs", "value": 51812.4, "source": "trace:binlog_fsyncs", "note": ""}, {"name": "data_fsyncs", "value": 10, "source": "trace:data_fsyncs", "note": ""}, {"name": "binlog_commits", "value": 129531, "source": "trace:binlog_commits", "note": ""}, {"name": "binlog_groups", "value": 32382.75, "source": "trace:binlog_groups", "note": ""}, {"name": "redo_bytes", "value": 64765500, "source": "trace:redo_bytes", "note": ""}]','[{"files": "redo", "source": "trace:fsync", "calls": 129531, "total_ms": 38859.299999999996, "max_ms": 4.0, "buckets": {"256": 64765, "512": 64766}}]',0.3,'{"sync_binlog": "1"}',3,1,1);
INSERT INTO "experiments_run" VALUES(4,'2026-03-01 12:00:00',30.0,90556,0,3.01854333333333261189e+03,'{"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "avg": 1.2, "max": 9.0}','[{"name": "redo_fsyncs", "value": 90.556, "source": "trace:redo_fsyncs", "note": ""}, {"name": "binlog_fsyncs", "value": 0, "source": "trace:binlog_fsyncs", "note": ""}, {"name": "data_fsyncs", "value": 10, "source": "trace:data_fsyncs", "note": ""}, {"name": "binlog_commits", "value": 90556, "source": "trace:binlog_commits", "note": ""}, {"name": "binlog_groups", "value": 22639.0, "source": "trace:binlog_groups", "note": ""}, {"name": "redo_bytes", "value": 45278000, "source": "trace:redo_bytes", "note": ""}]','[{"files": "redo", "source": "trace:fsync", "calls": 90556, "total_ms": 27166.8, "max_ms": 4.0, "buckets": {"256": 45278, "512": 45278}}]',0.3,'{"sync_binlog": "1"}',4,1,1);
INSERT INTO "experiments_run" VALUES(5,'2026-03-01 12:00:00',30.0,178886,0,5.96289333333333161114e+03,'{"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "avg": 1.2, "max": 9.0}','[{"name": "redo_fsyncs", "value": 178.886, "source": "trace:redo_fsyncs", "note": ""}, {"name": "binlog_fsyncs", "value": 0, "source": "trace:binlog_fsyncs", "note": ""}, {"name": "data_fsyncs", "value": 10, "source": "trace:data_fsyncs", "note": ""}, {"name": "binlog_commits", "value": 178886, "source": "trace:binlog_commits", "note": ""}, {"name": "binlog_groups", "value": 44721.5, "source": "trace:binlog_groups", "note": ""}, {"name": "redo_bytes", "value": 89443000, "source": "trace:redo_bytes", "note": ""}]','[{"files": "redo", "source": "trace:fsync", "calls": 178886, "total_ms": 53665.799999999996, "max_ms": 4.0, "buckets": {"256": 89443, "512": 89443}}]',0.3,'{"sync_binlog": "1"}',5,1,1);
INSERT INTO "experiments_run" VALUES(6,'2026-03-01 12:00:00',30.0,30371,0,1.01237999999999988176e+03,'{"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "avg": 1.2, "max": 9.0}','[{"name": "redo_fsyncs", "value": 15185.5, "source": "trace:redo_fsyncs", "note": ""}, {"name": "binlog_fsyncs", "value": 12148.400000000001, "source": "trace:binlog_fsyncs", "note": ""}, {"name": "data_fsyncs", "value": 10, "source": "trace:data_fsyncs", "note": ""}, {"name": "binlog_commits", "value": 30371, "source": "trace:binlog_commits", "note": ""}, {"name": "binlog_groups", "value": 7592.75, "source": "trace:binlog_groups", "note": ""}, {"name": "redo_bytes", "value": 15185500, "source": "trace:redo_bytes", "note": ""}]','[{"files": "redo", "source": "trace:fsync", "calls": 30371, "total_ms": 9111.3, "max_ms": 4.0, "buckets": {"256": 15185, "512": 15186}}]',0.3,'{"sync_binlog": "1"}',6,1,1);
INSERT INTO "experiments_run" VALUES(7,'2026-03-01 12:00:00',30.0,384245,0,1.28081866666666646778e+04,'{"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "avg": 1.2, "max": 9.0}','[{"name": "redo_fsyncs", "value": 384.245, "source": "trace:redo_fsyncs", "note": ""}, {"name": "binlog_fsyncs", "value": 0, "source": "trace:binlog_fsyncs", "note": ""}, {"name": "data_fsyncs", "value": 10, "source": "trace:data_fsyncs", "note": ""}, {"name": "binlog_commits", "value": 384245, "source": "trace:binlog_commits", "note": ""}, {"name": "binlog_groups", "value": 96061.25, "source": "trace:binlog_groups", "note": ""}, {"name": "redo_bytes", "value": 192122500, "source": "trace:redo_bytes", "note": ""}]','[{"files": "redo", "source": "trace:fsync", "calls": 384245, "total_ms": 115273.5, "max_ms": 4.0, "buckets": {"256": 192122, "512": 192123}}]',0.3,'{"sync_binlog": "1"}',7,1,1);
INSERT INTO "experiments_run" VALUES(8,'2026-03-01 12:00:00',30.0,127683,0,4.25611666666666678794e+03,'{"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "avg": 1.2, "max": 9.0}','[{"name": "redo_fsyncs", "value": 63841.5, "source": "trace:redo_fsyncs", "note": ""}, {"name": "binlog_fsyncs", "value": 51073.200000000004, "source": "trace:binlog_fsyncs", "note": ""}, {"name": "data_fsyncs", "value": 10, "source": "trace:data_fsyncs", "note": ""}, {"name": "binlog_commits", "value": 127683, "source": "trace:binlog_commits", "note": ""}, {"name": "binlog_groups", "value": 31920.75, "source": "trace:binlog_groups", "note": ""}, {"name": "redo_bytes", "value": 63841500, "source": "trace:redo_bytes", "note": ""}]','[{"files": "redo", "source": "trace:fsync", "calls": 127683, "total_ms": 38304.9, "max_ms": 4.0, "buckets": {"256": 63841, "512": 63842}}]',0.3,'{"sync_binlog": "1"}',8,1,1);
INSERT INTO "experiments_run" VALUES(9,'2026-03-01 12:00:00',30.0,781150,0,2.60383466666666681696e+04,'{"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "avg": 1.2, "max": 9.0}','[{"name": "redo_fsyncs", "value": 781.15, "source": "trace:redo_fsyncs", "note": ""}, {"name": "binlog_fsyncs", "value": 0, "source": "trace:binlog_fsyncs", "note": ""}, {"name": "data_fsyncs", "value": 10, "source": "trace:data_fsyncs", "note": ""}, {"name": "binlog_commits", "value": 781150, "source": "trace:binlog_commits", "note": ""}, {"name": "binlog_groups", "value": 195287.5, "source": "trace:binlog_groups", "note": ""}, {"name": "redo_bytes", "value": 390575000, "source": "trace:redo_bytes", "note": ""}]','[{"files": "redo", "source": "trace:fsync", "calls": 781150, "total_ms": 234345.0, "max_ms": 4.0, "buckets": {"256": 390575, "512": 390575}}]',0.3,'{"sync_binlog": "1"}',9,1,1);
INSERT INTO "experiments_run" VALUES(10,'2026-03-01 12:00:00',30.0,89660,0,2.98868000000000029105e+03,'{"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "avg": 1.2, "max": 9.0}','[{"name": "redo_fsyncs", "value": 89.66, "source": "trace:redo_fsyncs", "note": ""}, {"name": "binlog_fsyncs", "value": 0, "source": "trace:binlog_fsyncs", "note": ""}, {"name": "data_fsyncs", "value": 10, "source": "trace:data_fsyncs", "note": ""}, {"name": "binlog_commits", "value": 89660, "source": "trace:binlog_commits", "note": ""}, {"name": "binlog_groups", "value": 22415.0, "source": "trace:binlog_groups", "note": ""}, {"name": "redo_bytes", "value": 44830000, "source": "trace:redo_bytes", "note": ""}]','[{"files": "redo", "source": "trace:fsync", "calls": 89660, "total_ms": 26898.0, "max_ms": 4.0, "buckets": {"256": 44830, "512": 44830}}]',0.3,'{"sync_binlog": "1"}',10,1,1);
INSERT INTO "experiments_run" VALUES(11,'2026-03-01 12:00:00',30.0,30143,0,1.00476666666666676521e+03,'{"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "avg": 1.2, "max": 9.0}','[{"name": "redo_fsyncs", "value": 15071.5, "source": "trace:redo_fsyncs", "note": ""}, {"name": "binlog_fsyncs", "value": 12057.2, "source": "trace:binlog_fsyncs", "note": ""}, {"name": "data_fsyncs", "value": 10, "source": "trace:data_fsyncs", "note": ""}, {"name": "binlog_commits", "value": 30143, "source": "trace:binlog_commits", "note": ""}, {"name": "binlog_groups", "value": 7535.75, "source": "trace:binlog_groups", "note": ""}, {"name": "redo_bytes", "value": 15071500, "source": "trace:redo_bytes", "note": ""}]','[{"files": "redo", "source": "trace:fsync", "calls": 30143, "total_ms": 9042.9, "max_ms": 4.0, "buckets": {"256": 15071, "512": 15072}}]',0.3,'{"sync_binlog": "1"}',11,1,1);
INSERT INTO "experiments_run" VALUES(12,'2026-03-01 12:00:00',30.0,182074,0,6.06913666666666722429e+03,'{"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "avg": 1.2, "max": 9.0}','[{"name": "redo_fsyncs", "value": 182.074, "source": "trace:redo_fsyncs", "note": ""}, {"name": "binlog_fsyncs", "value": 0, "source": "trace:binlog_fsyncs", "note": ""}, {"name": "data_fsyncs", "value": 10, "source": "trace:data_fsyncs", "note": ""}, {"name": "binlog_commits", "value": 182074, "source": "trace:binlog_commits", "note": ""}, {"name": "binlog_groups", "value": 45518.5, "source": "trace:binlog_groups", "note": ""}, {"name": "redo_bytes", "value": 91037000, "source": "trace:redo_bytes", "note": ""}]','[{"files": "redo", "source": "trace:fsync", "calls": 182074, "total_ms": 54622.2, "max_ms": 4.0, "buckets": {"256": 91037, "512": 91037}}]',0.3,'{"sync_binlog": "1"}',12,1,1);
INSERT INTO "experiments_run" VALUES(13,'2026-03-01 12:00:00',30.0,89974,0,2.99916000000000030917e+03,'{"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "avg": 1.2, "max": 9.0}','[{"name": "redo_fsyncs", "value": 89.974, "source": "trace:redo_fsyncs", "note": ""}, {"name": "binlog_fsyncs", "value": 0, "source": "trace:binlog_fsyncs", "note": ""}, {"name": "data_fsyncs", "value": 10, "source": "trace:data_fsyncs", "note": ""}, {"name": "binlog_commits", "value": 89974, "source": "trace:binlog_commits", "note": ""}, {"name": "binlog_groups", "value": 22493.5, "source": "trace:binlog_groups", "note": ""}, {"name": "redo_bytes", "value": 44987000, "source": "trace:redo_bytes", "note": ""}]','[{"files": "redo", "source": "trace:fsync", "calls": 89974, "total_ms": 26992.2, "max_ms": 4.0, "buckets": {"256": 44987, "512": 44987}}]',0.3,'{"sync_binlog": "1"}',13,1,1);
INSERT INTO "experiments_run" VALUES(14,'2026-03-01 12:00:00',30.0,181184,0,6.03946666666666624224e+03,'{"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "avg": 1.2, "max": 9.0}','[{"name": "redo_fsyncs", "value": 181.184, "source": "trace:redo_fsyncs", "note": ""}, {"name": "binlog_fsyncs", "value": 0, "source": "trace:binlog_fsyncs", "note": ""}, {"name": "data_fsyncs", "value": 10, "source": "trace:data_fsyncs", "note": ""}, {"name": "binlog_commits", "value": 181184, "source": "trace:binlog_commits", "note": ""}, {"name": "binlog_groups", "value": 45296.0, "source": "trace:binlog_groups", "note": ""}, {"name": "redo_bytes", "value": 90592000, "source": "trace:redo_bytes", "note": ""}]','[{"files": "redo", "source": "trace:fsync", "calls": 181184, "total_ms": 54355.2, "max_ms": 4.0, "buckets": {"256": 90592, "512": 90592}}]',0.3,'{"sync_binlog": "1"}',14,1,1);
INSERT INTO "experiments_run" VALUES(15,'2026-03-01 12:00:00',30.0,29704,0,9.90153333333333307564e+02,'{"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "avg": 1.2, "max": 9.0}','[{"name": "redo_fsyncs", "value": 14852.0, "source": "trace:redo_fsyncs", "note": ""}, {"name": "binlog_fsyncs", "value": 11881.6, "source": "trace:binlog_fsyncs", "note": ""}, {"name": "data_fsyncs", "value": 10, "source": "trace:data_fsyncs", "note": ""}, {"name": "binlog_commits", "value": 29704, "source": "trace:binlog_commits", "note": ""}, {"name": "binlog_groups", "value": 7426.0, "source": "trace:binlog_groups", "note": ""}, {"name": "redo_bytes", "value": 14852000, "source": "trace:redo_bytes", "note": ""}]','[{"files": "redo", "source": "trace:fsync", "calls": 29704, "total_ms": 8911.199999999999, "max_ms": 4.0, "buckets": {"256": 14852, "512": 14852}}]',0.3,'{"sync_binlog": "1"}',15,1,1);
INSERT INTO "experiments_run" VALUES(16,'2026-03-01 12:00:00',30.0,389111,0,1.2970373333333332994e+04,'{"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "avg": 1.2, "max": 9.0}','[{"name": "redo_fsyncs", "value": 389.111, "source": "trace:redo_fsyncs", "note": ""}, {"name": "binlog_fsyncs", "value": 0, "source": "trace:binlog_fsyncs", "note": ""}, {"name": "data_fsyncs", "value": 10, "source": "trace:data_fsyncs", "note": ""}, {"name": "binlog_commits", "value": 389111, "source": "trace:binlog_commits", "note": ""}, {"name": "binlog_groups", "value": 97277.75, "source": "trace:binlog_groups", "note": ""}, {"name": "redo_bytes", "value": 194555500, "source": "trace:redo_bytes", "note": ""}]','[{"files": "redo", "source": "trace:fsync", "calls": 389111, "total_ms": 116733.3, "max_ms": 4.0, "buckets": {"256": 194555, "512": 194556}}]',0.3,'{"sync_binlog": "1"}',16,1,1);
INSERT INTO "experiments_run" VALUES(17,'2026-03-01 12:00:00',30.0,765722,0,2.55240833333333321203e+04,'{"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "avg": 1.2, "max": 9.0}','[{"name": "redo_fsyncs", "value": 765.722, "source": "trace:redo_fsyncs", "note": ""}, {"name": "binlog_fsyncs", "value": 0, "source": "trace:binlog_fsyncs", "note": ""}, {"name": "data_fsyncs", "value": 10, "source": "trace:data_fsyncs", "note": ""}, {"name": "binlog_commits", "value": 765722, "source": "trace:binlog_commits", "note": ""}, {"name": "binlog_groups", "value": 191430.5, "source": "trace:binlog_groups", "note": ""}, {"name": "redo_bytes", "value": 382861000, "source": "trace:redo_bytes", "note": ""}]','[{"files": "redo", "source": "trace:fsync", "calls": 765722, "total_ms": 229716.6, "max_ms": 4.0, "buckets": {"256": 382861, "512": 382861}}]',0.3,'{"sync_binlog": "1"}',17,1,1);
INSERT INTO "experiments_run" VALUES(18,'2026-03-01 12:00:00',30.0,128888,0,4.29628333333333375758e+03,'{"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "avg": 1.2, "max": 9.0}','[{"name": "redo_fsyncs", "value": 64444.0, "source": "trace:redo_fsyncs", "note": ""}, {"name": "binlog_fsyncs", "value": 51555.200000000004, "source": "trace:binlog_fsyncs", "note": ""}, {"name": "data_fsyncs", "value": 10, "source": "trace:data_fsyncs", "note": ""}, {"name": "binlog_commits", "value": 128888, "source": "trace:binlog_commits", "note": ""}, {"name": "binlog_groups", "value": 32222.0, "source": "trace:binlog_groups", "note": ""}, {"name": "redo_bytes", "value": 64444000, "source": "trace:redo_bytes", "note": ""}]','[{"files": "redo", "source": "trace:fsync", "calls": 128888, "total_ms": 38666.4, "max_ms": 4.0, "buckets": {"256": 64444, "512": 64444}}]',0.3,'{"sync_binlog": "1"}',18,1,1);
CREATE TABLE "experiments_series" ("run_id" bigint NOT NULL PRIMARY KEY REFERENCES "experiments_run" ("id") DEFERRABLE INITIALLY DEFERRED, "columns" text NOT NULL CHECK ((JSON_VALID("columns") OR "columns" IS NULL)));
INSERT INTO "experiments_series" VALUES(1,'{"t_s": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30], "tps": [25766.5, 27471.4, 27297.7, 25066.2, 25339.3, 25044.3, 26455.3, 25650.5, 26683.2, 23346.7, 27737.3, 25598.5, 26597.6, 25546.9, 25235.0, 26318.2, 26783.0, 25462.1, 25526.1, 26604.5, 24603.2, 23774.9, 26230.6, 24860.1, 23252.8, 24675.6, 25121.2, 24188.0, 23803.1, 25769.7], "qps": [25766.5, 27471.4, 27297.7, 25066.2, 25339.3, 25044.3, 26455.3, 25650.5, 26683.2, 23346.7, 27737.3, 25598.5, 26597.6, 25546.9, 25235.0, 26318.2, 26783.0, 25462.1, 25526.1, 26604.5, 24603.2, 23774.9, 26230.6, 24860.1, 23252.8, 24675.6, 25121.2, 24188.0, 23803.1, 25769.7], "writes": [25766.5, 27471.4, 27297.7, 25066.2, 25339.3, 25044.3, 26455.3, 25650.5, 26683.2, 23346.7, 27737.3, 25598.5, 26597.6, 25546.9, 25235.0, 26318.2, 26783.0, 25462.1, 25526.1, 26604.5, 24603.2, 23774.9, 26230.6, 24860.1, 23252.8, 24675.6, 25121.2, 24188.0, 23803.1, 25769.7], "errors": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "p95_ms": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}');
INSERT INTO "experiments_series" VALUES(2,'{"t_s": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30], "tps": [13438.3, 12711.4, 12383.1, 13108.9, 13322.5, 12668.4, 13211.5, 13531.9, 12728.2, 12338.1, 13084.8, 13020.5, 13567.9, 12035.2, 12435.8, 12322.3, 11746.2, 12942.6, 13200.7, 12386.2, 13752.3, 13389.8, 13264.7, 13119.6, 13475.8, 12004.7, 13256.1, 13248.9, 11724.5, 13084.4], "qps": [13438.3, 12711.4, 12383.1, 13108.9, 13322.5, 12668.4, 13211.5, 13531.9, 12728.2, 12338.1, 13084.8, 13020.5, 13567.9, 12035.2, 12435.8, 12322.3, 11746.2, 12942.6, 13200.7, 12386.2, 13752.3, 13389.8, 13264.7, 13119.6, 13475.8, 12004.7, 13256.1, 13248.9, 11724.5, 13084.4], "writes": [13438.3, 12711.4, 12383.1, 13108.9, 13322.5, 12668.4, 13211.5, 13531.9, 12728.2, 12338.1, 13084.8, 13020.5, 13567.9, 12035.2, 12435.8, 12322.3, 11746.2, 12942.6, 13200.7, 12386.2, 13752.3, 13389.8, 13264.7, 13119.6, 13475.8, 12004.7, 13256.1, 13248.9, 11724.5, 13084.4], "errors": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "p95_ms": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}');
INSERT INTO "experiments_series" VALUES(3,'{"t_s": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30], "tps": [4233.4, 4454.6, 4193.0, 4283.2, 4360.6, 4099.3, 4415.4, 4264.6, 4392.7, 4175.2, 4519.9, 4416.8, 4248.9, 4422.6, 4557.1, 4671.0, 3949.8, 4476.4, 4386.8, 4267.0, 4071.3, 4556.6, 4016.6, 4408.6, 4566.2, 3944.2, 4222.2, 4006.5, 4339.4, 4611.7], "qps": [4233.4, 4454.6, 4193.0, 4283.2, 4360.6, 4099.3, 4415.4, 4264.6, 4392.7, 4175.2, 4519.9, 4416.8, 4248.9, 4422.6, 4557.1, 4671.0, 3949.8, 4476.4, 4386.8, 4267.0, 4071.3, 4556.6, 4016.6, 4408.6, 4566.2, 3944.2, 4222.2, 4006.5, 4339.4, 4611.7], "writes": [4233.4, 4454.6, 4193.0, 4283.2, 4360.6, 4099.3, 4415.4, 4264.6, 4392.7, 4175.2, 4519.9, 4416.8, 4248.9, 4422.6, 4557.1, 4671.0, 3949.8, 4476.4, 4386.8, 4267.0, 4071.3, 4556.6, 4016.6, 4408.6, 4566.2, 3944.2, 4222.2, 4006.5, 4339.4, 4611.7], "errors": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "p95_ms": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}');
INSERT INTO "experiments_series" VALUES(4,'{"t_s": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30], "tps": [3303.5, 2733.3, 2913.8, 3105.5, 3236.9, 3063.2, 2888.1, 3044.6, 2997.5, 2969.4, 2889.8, 3058.1, 3046.2, 2986.1, 2966.7, 2807.3, 2927.1, 3181.0, 2971.4, 2784.0, 3200.2, 3079.5, 3316.2, 3009.4, 2930.8, 2782.9, 3198.6, 3385.4, 2876.9, 2902.9], "qps": [3303.5, 2733.3, 2913.8, 3105.5, 3236.9, 3063.2, 2888.1, 3044.6, 2997.5, 2969.4, 2889.8, 3058.1, 3046.2, 2986.1, 2966.7, 2807.3, 2927.1, 3181.0, 2971.4, 2784.0, 3200.2, 3079.5, 3316.2, 3009.4, 2930.8, 2782.9, 3198.6, 3385.4, 2876.9, 2902.9], "writes": [3303.5, 2733.3, 2913.8, 3105.5, 3236.9, 3063.2, 2888.1, 3044.6, 2997.5, 2969.4, 2889.8, 3058.1, 3046.2, 2986.1, 2966.7, 2807.3, 2927.1, 3181.0, 2971.4, 2784.0, 3200.2, 3079.5, 3316.2, 3009.4, 2930.8, 2782.9, 3198.6, 3385.4, 2876.9, 2902.9], "errors": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "p95_ms": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}');
INSERT INTO "experiments_series" VALUES(5,'{"t_s": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30], "tps": [6178.9, 5750.9, 5918.8, 5895.0, 6057.6, 6328.4, 6006.6, 6275.7, 5874.0, 6098.3, 5358.5, 5565.0, 6238.8, 5823.0, 6174.0, 6162.7, 6396.7, 6243.6, 6305.1, 5966.5, 5790.5, 5780.5, 5853.6, 5661.1, 5835.8, 5972.2, 6075.5, 5898.3, 5422.9, 5978.3], "qps": [6178.9, 5750.9, 5918.8, 5895.0, 6057.6, 6328.4, 6006.6, 6275.7, 5874.0, 6098.3, 5358.5, 5565.0, 6238.8, 5823.0, 6174.0, 6162.7, 6396.7, 6243.6, 6305.1, 5966.5, 5790.5, 5780.5, 5853.6, 5661.1, 5835.8, 5972.2, 6075.5, 5898.3, 5422.9, 5978.3], "writes": [6178.9, 5750.9, 5918.8, 5895.0, 6057.6, 6328.4, 6006.6, 6275.7, 5874.0, 6098.3, 5358.5, 5565.0, 6238.8, 5823.0, 6174.0, 6162.7, 6396.7, 6243.6, 6305.1, 5966.5, 5790.5, 5780.5, 5853.6, 5661.1, 5835.8, 5972.2, 6075.5, 5898.3, 5422.9, 5978.3], "errors": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "p95_ms": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}');
INSERT INTO "experiments_series" VALUES(6,'{"t_s": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30], "tps": [1011.3, 1054.2, 1028.9, 967.8, 963.8, 1100.5, 1037.8, 1091.6, 1106.5, 959.1, 1019.3, 1022.9, 1028.0, 1027.1, 1010.1, 1008.7, 924.9, 991.7, 962.6, 1006.3, 976.6, 1030.9, 1041.0, 1015.4, 1015.8, 1004.6, 977.6, 991.8, 975.2, 1019.4], "qps": [1011.3, 1054.2, 1028.9, 967.8, 963.8, 1100.5, 1037.8, 1091.6, 1106.5, 959.1, 1019.3, 1022.9, 1028.0, 1027.1, 1010.1, 1008.7, 924.9, 991.7, 962.6, 1006.3, 976.6, 1030.9, 1041.0, 1015.4, 1015.8, 1004.6, 977.6, 991.8, 975.2, 1019.4], "writes": [1011.3, 1054.2, 1028.9, 967.8, 963.8, 1100.5, 1037.8, 1091.6, 1106.5, 959.1, 1019.3, 1022.9, 1028.0, 1027.1, 1010.1, 1008.7, 924.9, 991.7, 962.6, 1006.3, 976.6, 1030.9, 1041.0, 1015.4, 1015.8, 1004.6, 977.6, 991.8, 975.2, 1019.4], "errors": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "p95_ms": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}');
INSERT INTO "experiments_series" VALUES(7,'{"t_s": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30], "tps": [12870.4, 13235.1, 12006.9, 13432.2, 12370.8, 12389.1, 12734.3, 12499.0, 13048.5, 12492.1, 12173.5, 12317.4, 13705.0, 12889.7, 12110.5, 12866.7, 11860.7, 14012.1, 11880.9, 13169.2, 13210.9, 11928.8, 13054.4, 13502.5, 13162.0, 13029.1, 13471.6, 12964.8, 13077.6, 12779.8], "qps": [12870.4, 13235.1, 12006.9, 13432.2, 12370.8, 12389.1, 12734.3, 12499.0, 13048.5, 12492.1, 12173.5, 12317.4, 13705.0, 12889.7, 12110.5, 12866.7, 11860.7, 14012.1, 11880.9, 13169.2, 13210.9, 11928.8, 13054.4, 13502.5, 13162.0, 13029.1, 13471.6, 12964.8, 13077.6, 12779.8], "writes": [12870.4, 13235.1, 12006.9, 13432.2, 12370.8, 12389.1, 12734.3, 12499.0, 13048.5, 12492.1, 12173.5, 12317.4, 13705.0, 12889.7, 12110.5, 12866.7, 11860.7, 14012.1, 11880.9, 13169.2, 13210.9, 11928.8, 13054.4, 13502.5, 13162.0, 13029.1, 13471.6, 12964.8, 13077.6, 12779.8], "errors": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "p95_ms": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}');
INSERT INTO "experiments_series" VALUES(8,'{"t_s": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30], "tps": [4422.5, 4085.3, 4456.8, 4178.8, 4053.3, 4365.4, 4650.0, 4493.2, 4176.6, 4436.7, 4189.7, 4260.5, 4306.3, 3790.4, 4328.2, 4066.4, 4137.6, 3971.1, 3962.0, 4084.9, 4464.1, 4644.2, 4281.7, 4521.1, 4230.5, 3877.3, 4319.2, 4382.6, 4195.2, 4351.9], "qps": [4422.5, 4085.3, 4456.8, 4178.8, 4053.3, 4365.4, 4650.0, 4493.2, 4176.6, 4436.7, 4189.7, 4260.5, 4306.3, 3790.4, 4328.2, 4066.4, 4137.6, 3971.1, 3962.0, 4084.9, 4464.1, 4644.2, 4281.7, 4521.1, 4230.5, 3877.3, 4319.2, 4382.6, 4195.2, 4351.9], "writes": [4422.5, 4085.3, 4456.8, 4178.8, 4053.3, 4365.4, 4650.0, 4493.2, 4176.6, 4436.7, 4189.7, 4260.5, 4306.3, 3790.4, 4328.2, 4066.4, 4137.6, 3971.1, 3962.0, 4084.9, 4464.1, 4644.2, 4281.7, 4521.1, 4230.5, 3877.3, 4319.2, 4382.6, 4195.2, 4351.9], "errors": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "p95_ms": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}');
INSERT INTO "experiments_series" VALUES(9,'{"t_s": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30], "tps": [26458.9, 24612.1, 23823.2, 25438.0, 25451.1, 25269.0, 26992.3, 27941.9, 25186.7, 26621.4, 26932.7, 26639.8, 27069.8, 25221.9, 26674.0, 28326.3, 26756.2, 24925.3, 26504.2, 27346.1, 26197.1, 24998.0, 27707.2, 24115.2, 26370.0, 25701.8, 24187.4, 27290.9, 26170.0, 24221.9], "qps": [26458.9, 24612.1, 23823.2, 25438.0, 25451.1, 25269.0, 26992.3, 27941.9, 25186.7, 26621.4, 26932.7, 26639.8, 27069.8, 25221.9, 26674.0, 28326.3, 26756.2, 24925.3, 26504.2, 27346.1, 26197.1, 24998.0, 27707.2, 24115.2, 26370.0, 25701.8, 24187.4, 27290.9, 26170.0, 24221.9], "writes": [26458.9, 24612.1, 23823.2, 25438.0, 25451.1, 25269.0, 26992.3, 27941.9, 25186.7, 26621.4, 26932.7, 26639.8, 27069.8, 25221.9, 26674.0, 28326.3, 26756.2, 24925.3, 26504.2, 27346.1, 26197.1, 24998.0, 27707.2, 24115.2, 26370.0, 25701.8, 24187.4, 27290.9, 26170.0, 24221.9], "errors": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "p95_ms": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}');
INSERT INTO "experiments_series" VALUES(10,'{"t_s": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30], "tps": [3090.3, 2935.3, 2714.6, 2896.7, 3039.5, 3095.4, 3024.8, 3006.8, 3070.5, 2968.4, 3176.5, 3022.3, 3044.1, 3081.1, 2841.4, 2893.6, 3229.3, 3050.3, 2957.6, 3051.2, 2927.8, 3041.8, 2900.1, 3041.4, 2763.3, 3199.6, 2923.1, 2762.8, 2966.4, 2944.4], "qps": [3090.3, 2935.3, 2714.6, 2896.7, 3039.5, 3095.4, 3024.8, 3006.8, 3070.5, 2968.4, 3176.5, 3022.3, 3044.1, 3081.1, 2841.4, 2893.6, 3229.3, 3050.3, 2957.6, 3051.2, 2927.8, 3041.8, 2900.1, 3041.4, 2763.3, 3199.6, 2923.1, 2762.8, 2966.4, 2944.4], "writes": [3090.3, 2935.3, 2714.6, 2896.7, 3039.5, 3095.4, 3024.8, 3006.8, 3070.5, 2968.4, 3176.5, 3022.3, 3044.1, 3081.1, 2841.4, 2893.6, 3229.3, 3050.3, 2957.6, 3051.2, 2927.8, 3041.8, 2900.1, 3041.4, 2763.3, 3199.6, 2923.1, 2762.8, 2966.4, 2944.4], "errors": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "p95_ms": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}');
INSERT INTO "experiments_series" VALUES(11,'{"t_s": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30], "tps": [1007.6, 942.7, 1019.9, 1181.2, 936.1, 1016.9, 984.5, 1009.6, 909.4, 942.4, 1023.0, 998.1, 1081.8, 964.8, 1008.7, 1145.7, 961.7, 954.8, 998.2, 997.8, 1042.2, 1006.5, 962.2, 1010.6, 1131.9, 1063.6, 860.9, 992.9, 956.2, 1031.1], "qps": [1007.6, 942.7, 1019.9, 1181.2, 936.1, 1016.9, 984.5, 1009.6, 909.4, 942.4, 1023.0, 998.1, 1081.8, 964.8, 1008.7, 1145.7, 961.7, 954.8, 998.2, 997.8, 1042.2, 1006.5, 962.2, 1010.6, 1131.9, 1063.6, 860.9, 992.9, 956.2, 1031.1], "writes": [1007.6, 942.7, 1019.9, 1181.2, 936.1, 1016.9, 984.5, 1009.6, 909.4, 942.4, 1023.0, 998.1, 1081.8, 964.8, 1008.7, 1145.7, 961.7, 954.8, 998.2, 997.8, 1042.2, 1006.5, 962.2, 1010.6, 1131.9, 1063.6, 860.9, 992.9, 956.2, 1031.1], "errors": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "p95_ms": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}');
INSERT INTO "experiments_series" VALUES(12,'{"t_s": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30], "tps": [5948.0, 6579.8, 6279.4, 6267.1, 6056.0, 5987.9, 6102.1, 6388.6, 6160.3, 5894.7, 6382.5, 6057.6, 5976.7, 5762.6, 5830.2, 5809.2, 5162.3, 6305.1, 6169.9, 5935.7, 6313.8, 6131.4, 6111.5, 5257.6, 5930.1, 6159.7, 6482.9, 6552.1, 6427.8, 5651.5], "qps": [5948.0, 6579.8, 6279.4, 6267.1, 6056.0, 5987.9, 6102.1, 6388.6, 6160.3, 5894.7, 6382.5, 6057.6, 5976.7, 5762.6, 5830.2, 5809.2, 5162.3, 6305.1, 6169.9, 5935.7, 6313.8, 6131.4, 6111.5, 5257.6, 5930.1, 6159.7, 6482.9, 6552.1, 6427.8, 5651.5], "writes": [5948.0, 6579.8, 6279.4, 6267.1, 6056.0, 5987.9, 6102.1, 6388.6, 6160.3, 5894.7, 6382.5, 6057.6, 5976.7, 5762.6, 5830.2, 5809.2, 5162.3, 6305.1, 6169.9, 5935.7, 6313.8, 6131.4, 6111.5, 5257.6, 5930.1, 6159.7, 6482.9, 6552.1, 6427.8, 5651.5], "errors": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "p95_ms": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}');
INSERT INTO "experiments_series" VALUES(13,'{"t_s": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30], "tps": [2670.3, 3085.6, 3004.1, 3144.4, 2981.1, 3033.0, 2775.0, 3067.2, 2933.3, 3052.5, 3068.9, 2982.4, 3047.5, 2998.0, 3113.9, 3075.3, 2917.9, 2911.8, 3261.6, 2984.8, 3148.8, 3059.0, 2915.4, 2887.7, 3018.0, 3038.5, 3092.2, 2810.0, 2910.8, 2985.8], "qps": [2670.3, 3085.6, 3004.1, 3144.4, 2981.1, 3033.0, 2775.0, 3067.2, 2933.3, 3052.5, 3068.9, 2982.4, 3047.5, 2998.0, 3113.9, 3075.3, 2917.9, 2911.8, 3261.6, 2984.8, 3148.8, 3059.0, 2915.4, 2887.7, 3018.0, 3038.5, 3092.2, 2810.0, 2910.8, 2985.8], "writes": [2670.3, 3085.6, 3004.1, 3144.4, 2981.1, 3033.0, 2775.0, 3067.2, 2933.3, 3052.5, 3068.9, 2982.4, 3047.5, 2998.0, 3113.9, 3075.3, 2917.9, 2911.8, 3261.6, 2984.8, 3148.8, 3059.0, 2915.4, 2887.7, 3018.0, 3038.5, 3092.2, 2810.0, 2910.8, 2985.8], "errors": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "p95_ms": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}');
INSERT INTO "experiments_series" VALUES(14,'{"t_s": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30], "tps": [6480.2, 5291.9, 6131.7, 5838.0, 6129.4, 5852.4, 6109.4, 6469.4, 6106.3, 6130.0, 6111.9, 5774.9, 6162.9, 5937.5, 5756.5, 5988.4, 5931.8, 6226.0, 5987.1, 5841.2, 6436.8, 6296.5, 6380.9, 6182.3, 5967.1, 5874.3, 5916.2, 6284.3, 6033.6, 5555.1], "qps": [6480.2, 5291.9, 6131.7, 5838.0, 6129.4, 5852.4, 6109.4, 6469.4, 6106.3, 6130.0, 6111.9, 5774.9, 6162.9, 5937.5, 5756.5, 5988.4, 5931.8, 6226.0, 5987.1, 5841.2, 6436.8, 6296.5, 6380.9, 6182.3, 5967.1, 5874.3, 5916.2, 6284.3, 6033.6, 5555.1], "writes": [6480.2, 5291.9, 6131.7, 5838.0, 6129.4, 5852.4, 6109.4, 6469.4, 6106.3, 6130.0, 6111.9, 5774.9, 6162.9, 5937.5, 5756.5, 5988.4, 5931.8, 6226.0, 5987.1, 5841.2, 6436.8, 6296.5, 6380.9, 6182.3, 5967.1, 5874.3, 5916.2, 6284.3, 6033.6, 5555.1], "errors": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "p95_ms": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}');
INSERT INTO "experiments_series" VALUES(15,'{"t_s": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30], "tps": [998.0, 929.2, 1008.3, 939.8, 936.8, 1005.9, 996.1, 916.9, 1037.4, 1108.2, 925.9, 1091.0, 965.6, 975.3, 991.1, 927.7, 1065.0, 1024.6, 962.4, 986.1, 924.2, 982.6, 1046.8, 914.2, 978.2, 1007.3, 1052.4, 1067.5, 977.1, 963.0], "qps": [998.0, 929.2, 1008.3, 939.8, 936.8, 1005.9, 996.1, 916.9, 1037.4, 1108.2, 925.9, 1091.0, 965.6, 975.3, 991.1, 927.7, 1065.0, 1024.6, 962.4, 986.1, 924.2, 982.6, 1046.8, 914.2, 978.2, 1007.3, 1052.4, 1067.5, 977.1, 963.0], "writes": [998.0, 929.2, 1008.3, 939.8, 936.8, 1005.9, 996.1, 916.9, 1037.4, 1108.2, 925.9, 1091.0, 965.6, 975.3, 991.1, 927.7, 1065.0, 1024.6, 962.4, 986.1, 924.2, 982.6, 1046.8, 914.2, 978.2, 1007.3, 1052.4, 1067.5, 977.1, 963.0], "errors": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "p95_ms": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}');
INSERT INTO "experiments_series" VALUES(16,'{"t_s": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30], "tps": [13150.9, 12627.7, 12661.9, 13555.9, 13947.9, 13032.3, 12737.7, 13228.6, 11647.5, 12849.5, 12179.3, 14397.8, 13324.4, 12952.2, 12736.3, 11244.0, 13319.7, 13909.1, 12392.6, 13300.8, 13325.9, 11865.7, 13463.0, 13732.5, 13008.2, 12820.7, 13368.0, 11870.5, 12921.3, 13539.3], "qps": [13150.9, 12627.7, 12661.9, 13555.9, 13947.9, 13032.3, 12737.7, 13228.6, 11647.5, 12849.5, 12179.3, 14397.8, 13324.4, 12952.2, 12736.3, 11244.0, 13319.7, 13909.1, 12392.6, 13300.8, 13325.9, 11865.7, 13463.0, 13732.5, 13008.2, 12820.7, 13368.0, 11870.5, 12921.3, 13539.3], "writes": [13150.9, 12627.7, 12661.9, 13555.9, 13947.9, 13032.3, 12737.7, 13228.6, 11647.5, 12849.5, 12179.3, 14397.8, 13324.4, 12952.2, 12736.3, 11244.0, 13319.7, 13909.1, 12392.6, 13300.8, 13325.9, 11865.7, 13463.0, 13732.5, 13008.2, 12820.7, 13368.0, 11870.5, 12921.3, 13539.3], "errors": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "p95_ms": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}');
INSERT INTO "experiments_series" VALUES(17,'{"t_s": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30], "tps": [24124.6, 26999.1, 25184.7, 23046.4, 25586.6, 24472.6, 26133.2, 24215.0, 27073.4, 24772.3, 26180.9, 24958.6, 25307.3, 27255.3, 25999.4, 25214.5, 24113.0, 27214.4, 26665.1, 25302.6, 26035.5, 24398.4, 24417.3, 24660.0, 26177.1, 26103.1, 24764.0, 26671.4, 26731.8, 25944.9], "qps": [24124.6, 26999.1, 25184.7, 23046.4, 25586.6, 24472.6, 26133.2, 24215.0, 27073.4, 24772.3, 26180.9, 24958.6, 25307.3, 27255.3, 25999.4, 25214.5, 24113.0, 27214.4, 26665.1, 25302.6, 26035.5, 24398.4, 24417.3, 24660.0, 26177.1, 26103.1, 24764.0, 26671.4, 26731.8, 25944.9], "writes": [24124.6, 26999.1, 25184.7, 23046.4, 25586.6, 24472.6, 26133.2, 24215.0, 27073.4, 24772.3, 26180.9, 24958.6, 25307.3, 27255.3, 25999.4, 25214.5, 24113.0, 27214.4, 26665.1, 25302.6, 26035.5, 24398.4, 24417.3, 24660.0, 26177.1, 26103.1, 24764.0, 26671.4, 26731.8, 25944.9], "errors": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "p95_ms": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}');
INSERT INTO "experiments_series" VALUES(18,'{"t_s": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30], "tps": [4509.7, 4225.5, 4262.9, 4388.5, 4279.8, 4457.3, 4018.6, 4592.7, 4119.6, 4251.8, 3991.8, 4415.8, 4560.1, 4516.7, 4465.7, 3953.3, 4119.4, 4187.9, 4086.7, 4527.7, 4326.6, 4281.8, 4391.6, 4083.1, 4092.4, 4098.1, 4393.8, 4360.3, 4411.0, 4518.3], "qps": [4509.7, 4225.5, 4262.9, 4388.5, 4279.8, 4457.3, 4018.6, 4592.7, 4119.6, 4251.8, 3991.8, 4415.8, 4560.1, 4516.7, 4465.7, 3953.3, 4119.4, 4187.9, 4086.7, 4527.7, 4326.6, 4281.8, 4391.6, 4083.1, 4092.4, 4098.1, 4393.8, 4360.3, 4411.0, 4518.3], "writes": [4509.7, 4225.5, 4262.9, 4388.5, 4279.8, 4457.3, 4018.6, 4592.7, 4119.6, 4251.8, 3991.8, 4415.8, 4560.1, 4516.7, 4465.7, 3953.3, 4119.4, 4187.9, 4086.7, 4527.7, 4326.6, 4281.8, 4391.6, 4083.1, 4092.4, 4098.1, 4393.8, 4360.3, 4411.0, 4518.3], "errors": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "p95_ms": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]}');
CREATE TABLE "experiments_tag" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "name" varchar(30) NOT NULL UNIQUE);
CREATE TABLE "experiments_trial" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "position" integer unsigned NOT NULL CHECK ("position" >= 0), "variant" varchar(80) NOT NULL, "kind" varchar(40) NOT NULL, "repeat" integer unsigned NOT NULL CHECK ("repeat" >= 0), "seed" bigint unsigned NOT NULL CHECK ("seed" >= 0), "state" varchar(12) NOT NULL, "error" text NOT NULL, "mend" text NOT NULL, "started_at" datetime NULL, "ended_at" datetime NULL, "verdict" varchar(8) NOT NULL, "sent" integer unsigned NULL CHECK ("sent" >= 0), "acknowledged" integer unsigned NULL CHECK ("acknowledged" >= 0), "in_doubt" integer unsigned NULL CHECK ("in_doubt" >= 0), "lost_engine" integer unsigned NULL CHECK ("lost_engine" >= 0), "lost_engine_ms" real NULL, "lost_binlog" integer unsigned NULL CHECK ("lost_binlog" >= 0), "lost_binlog_ms" real NULL, "lost_replica" integer unsigned NULL CHECK ("lost_replica" >= 0), "recovery_s" real NULL, "environment_id" bigint NULL REFERENCES "experiments_environment" ("id") DEFERRABLE INITIALLY DEFERRED, "experiment_id" bigint NOT NULL REFERENCES "experiments_experiment" ("id") DEFERRABLE INITIALLY DEFERRED, "server_id" bigint NOT NULL REFERENCES "servers_server" ("id") DEFERRABLE INITIALLY DEFERRED, "repeats_id" bigint NULL REFERENCES "experiments_trial" ("id") DEFERRABLE INITIALLY DEFERRED, CONSTRAINT "one_trial_position_each" UNIQUE ("experiment_id", "position"));
CREATE TABLE "experiments_trialevidence" ("trial_id" bigint NOT NULL PRIMARY KEY REFERENCES "experiments_trial" ("id") DEFERRABLE INITIALLY DEFERRED, "data" text NOT NULL CHECK ((JSON_VALID("data") OR "data" IS NULL)));
CREATE TABLE "experiments_words" ("experiment_id" bigint NOT NULL PRIMARY KEY REFERENCES "experiments_experiment" ("id") DEFERRABLE INITIALLY DEFERRED, "text" text NOT NULL);
INSERT INTO "experiments_words" VALUES(1,'what safety costs
db7 in rack 3
1/1
2/0
0/0
update by key
update_key');
CREATE TABLE "fleet_hostlease" ("host" varchar(255) NOT NULL PRIMARY KEY, "taken_at" datetime NOT NULL, "experiment_id" bigint NOT NULL REFERENCES "experiments_experiment" ("id") DEFERRABLE INITIALLY DEFERRED);
INSERT INTO "fleet_hostlease" VALUES('db7','2026-11-23 01:52:11.260443',1);
CREATE TABLE "fleet_installation" ("id" smallint unsigned NOT NULL PRIMARY KEY CHECK ("id" >= 0), "identity" text NOT NULL, "held_at" datetime NULL);
CREATE TABLE "fleet_worker" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "host" varchar(120) NOT NULL, "pid" integer unsigned NOT NULL CHECK ("pid" >= 0), "started_at" datetime NOT NULL, "beat_at" datetime NOT NULL, "ended_at" datetime NULL, "abilities" text NOT NULL CHECK ((JSON_VALID("abilities") OR "abilities" IS NULL)), "site" varchar(40) NOT NULL, "listens" bool NOT NULL, "version" varchar(40) NOT NULL, "stuck" text NOT NULL CHECK ((JSON_VALID("stuck") OR "stuck" IS NULL)));
CREATE TABLE "history_change" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "figure" varchar(20) NOT NULL, "state" varchar(9) NOT NULL, "before" real NOT NULL, "after" real NOT NULL, "p" real NOT NULL, "nights_after" integer unsigned NOT NULL CHECK ("nights_after" >= 0), "found_at" datetime NOT NULL, "decided_at" datetime NULL, "problem" text NOT NULL, "rerun_id" bigint NULL REFERENCES "experiments_experiment" ("id") DEFERRABLE INITIALLY DEFERRED, "decided_by_id" bigint NULL REFERENCES "history_entry" ("id") DEFERRABLE INITIALLY DEFERRED, "first_id" bigint NOT NULL REFERENCES "history_entry" ("id") DEFERRABLE INITIALLY DEFERRED, "found_with_id" bigint NOT NULL REFERENCES "history_entry" ("id") DEFERRABLE INITIALLY DEFERRED, "track_id" bigint NOT NULL REFERENCES "history_track" ("id") DEFERRABLE INITIALLY DEFERRED, CONSTRAINT "one_change_each" UNIQUE ("track_id", "figure", "first_id"));
CREATE TABLE "history_entry" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "at" datetime NOT NULL, "repeats" integer unsigned NOT NULL CHECK ("repeats" >= 0), "tps" real NULL, "tps_lo" real NULL, "tps_hi" real NULL, "p99_ms" real NULL, "fsyncs" real NULL, "fsyncs_from" varchar(200) NOT NULL, "lost_engine" real NULL, "lost_binlog" real NULL, "environment_id" bigint NULL REFERENCES "experiments_environment" ("id") DEFERRABLE INITIALLY DEFERRED, "experiment_id" bigint NOT NULL REFERENCES "experiments_experiment" ("id") DEFERRABLE INITIALLY DEFERRED, "track_id" bigint NOT NULL REFERENCES "history_track" ("id") DEFERRABLE INITIALLY DEFERRED, CONSTRAINT "one_entry_each" UNIQUE ("track_id", "experiment_id"));
CREATE TABLE "history_noted" ("experiment_id" bigint NOT NULL PRIMARY KEY REFERENCES "experiments_experiment" ("id") DEFERRABLE INITIALLY DEFERRED, "ended_at" datetime NOT NULL, "problem" text NOT NULL);
CREATE TABLE "history_track" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "kind" varchar(5) NOT NULL, "condition" varchar(16) NOT NULL, "says" varchar(200) NOT NULL, "variant" varchar(80) NOT NULL, "settings" varchar(16) NOT NULL, "means" text NOT NULL, "counts" varchar(20) NOT NULL, "unlooked" bool NOT NULL, "watched_since" datetime NULL, "server_id" bigint NOT NULL REFERENCES "servers_server" ("id") DEFERRABLE INITIALLY DEFERRED, CONSTRAINT "one_track_each" UNIQUE ("server_id", "condition", "variant", "settings"));
CREATE TABLE "mfa_authenticator" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "type" varchar(20) NOT NULL, "data" text NOT NULL CHECK ((JSON_VALID("data") OR "data" IS NULL)), "user_id" integer NOT NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "created_at" datetime NOT NULL, "last_used_at" datetime NULL);
CREATE TABLE "notifications_channel" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "name" varchar(80) NOT NULL UNIQUE, "kind" varchar(10) NOT NULL, "events" text NOT NULL CHECK ((JSON_VALID("events") OR "events" IS NULL)), "address_sealed" BLOB NOT NULL, "shown" varchar(255) NOT NULL, "secret_sealed" BLOB NOT NULL, "paused_at" datetime NULL, "created_at" datetime NOT NULL);
CREATE TABLE "notifications_delivery" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "key" char(32) NOT NULL UNIQUE, "to" varchar(80) NOT NULL, "event" varchar(40) NOT NULL, "title" varchar(200) NOT NULL, "text" text NOT NULL, "path" varchar(200) NOT NULL, "facts" text NOT NULL CHECK ((JSON_VALID("facts") OR "facts" IS NULL)), "state" varchar(8) NOT NULL, "attempts" integer unsigned NOT NULL CHECK ("attempts" >= 0), "error" text NOT NULL, "created_at" datetime NOT NULL, "next_at" datetime NOT NULL, "ended_at" datetime NULL, "channel_id" bigint NULL REFERENCES "notifications_channel" ("id") DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE "schedules_night" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "due_at" datetime NOT NULL, "state" varchar(8) NOT NULL, "reason" text NOT NULL, "must_end_at" datetime NULL, "closed_at" datetime NULL, "asked_by_id" integer NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "experiment_id" bigint NULL UNIQUE REFERENCES "experiments_experiment" ("id") DEFERRABLE INITIALLY DEFERRED, "schedule_id" bigint NOT NULL REFERENCES "schedules_schedule" ("id") DEFERRABLE INITIALLY DEFERRED, CONSTRAINT "one_night_each_time" UNIQUE ("schedule_id", "due_at"));
CREATE TABLE "schedules_schedule" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "name" varchar(80) NOT NULL UNIQUE, "plan" text NOT NULL CHECK ((JSON_VALID("plan") OR "plan" IS NULL)), "recipe" varchar(80) NOT NULL, "recipe_size" varchar(20) NOT NULL, "cron" varchar(120) NOT NULL, "zone" varchar(60) NOT NULL, "ends_by" time NULL, "confirmed_at" datetime NULL, "confirmed_servers" text NOT NULL CHECK ((JSON_VALID("confirmed_servers") OR "confirmed_servers" IS NULL)), "paused_at" datetime NULL, "looked_at" datetime NOT NULL, "created_at" datetime NOT NULL, "confirmed_by_id" integer NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "runs_as_id" integer NOT NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE "servers_debt" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "kind" varchar(10) NOT NULL, "name" varchar(80) NOT NULL, "old" text NOT NULL, "owed_at" datetime NOT NULL, "paid_at" datetime NULL, "problem" text NOT NULL, "experiment_id" bigint NULL REFERENCES "experiments_experiment" ("id") DEFERRABLE INITIALLY DEFERRED, "server_id" bigint NOT NULL REFERENCES "servers_server" ("id") DEFERRABLE INITIALLY DEFERRED, "tried_at" datetime NULL);
INSERT INTO "servers_debt" VALUES(1,'variable','sync_binlog','1','2026-11-23 01:52:11.255333',NULL,'',1,1,NULL);
CREATE TABLE "servers_preflight" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "state" varchar(8) NOT NULL, "asked_at" datetime NOT NULL, "started_at" datetime NULL, "done_at" datetime NULL, "worker" varchar(120) NOT NULL, "checks" text NOT NULL CHECK ((JSON_VALID("checks") OR "checks" IS NULL)), "durability" text NOT NULL CHECK ((JSON_VALID("durability") OR "durability" IS NULL)), "facts" text NOT NULL CHECK ((JSON_VALID("facts") OR "facts" IS NULL)), "server_id" bigint NOT NULL REFERENCES "servers_server" ("id") DEFERRABLE INITIALLY DEFERRED, "claimed" smallint unsigned NOT NULL CHECK ("claimed" >= 0));
CREATE TABLE "servers_server" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "name" varchar(80) NOT NULL UNIQUE, "kind" varchar(10) NOT NULL, "host" varchar(255) NOT NULL, "port" integer unsigned NOT NULL CHECK ("port" >= 0), "socket" varchar(255) NOT NULL, "user" varchar(80) NOT NULL, "password_sealed" BLOB NOT NULL, "tls" varchar(10) NOT NULL, "tls_ca" varchar(500) NOT NULL, "label" varchar(12) NOT NULL, "note" text NOT NULL, "build" varchar(80) NOT NULL, "created_at" datetime NOT NULL, "crash_command" text NOT NULL CHECK ((JSON_VALID("crash_command") OR "crash_command" IS NULL)), "expendable" bool NOT NULL, "start_command" text NOT NULL CHECK ((JSON_VALID("start_command") OR "start_command" IS NULL)), "owner_id" integer NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "site" varchar(40) NOT NULL, "earlier_hosts" text NOT NULL CHECK ((JSON_VALID("earlier_hosts") OR "earlier_hosts" IS NULL)), "binlog_index" varchar(500) NOT NULL, "commands_by_id" integer NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, CONSTRAINT "expendable_is_attached_and_never_production" CHECK ((NOT "expendable" OR ("kind" = 'attached' AND NOT ("label" = 'production')))), CONSTRAINT "attached_has_address_sandbox_has_build" CHECK ((("host" = '' AND "kind" = 'sandbox' AND "socket" = '' AND NOT ("build" = '')) OR ("build" = '' AND "kind" = 'attached' AND (NOT ("host" = '') OR NOT ("socket" = ''))) OR ("build" = '' AND "host" = '' AND "kind" = 'imported' AND "socket" = '' AND "user" = ''))));
INSERT INTO "servers_server" VALUES(1,'db7 in rack 3','attached','db7.example.com',3306,'','bench_admin',X'','preferred','','test','','','2026-11-23 01:52:11.130559','[]',0,'[]',NULL,'local','[]','',NULL);
CREATE TABLE "sharing_sharelink" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "token_hash" varchar(64) NOT NULL UNIQUE, "note" varchar(200) NOT NULL, "created_at" datetime NOT NULL, "expires_at" datetime NULL, "revoked_at" datetime NULL, "used_at" datetime NULL, "views" integer unsigned NOT NULL CHECK ("views" >= 0), "created_by_id" integer NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "experiment_id" bigint NULL REFERENCES "experiments_experiment" ("id") DEFERRABLE INITIALLY DEFERRED, "comparison" text NOT NULL, "embeddable" bool NOT NULL, "embeds" integer unsigned NOT NULL CHECK ("embeds" >= 0), CONSTRAINT "a_link_opens_one_thing" CHECK ((("comparison" = '' AND "experiment_id" IS NOT NULL) OR ("experiment_id" IS NULL AND NOT ("comparison" = '')))));
CREATE TABLE "sharing_sharelink_compared" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "sharelink_id" bigint NOT NULL REFERENCES "sharing_sharelink" ("id") DEFERRABLE INITIALLY DEFERRED, "experiment_id" bigint NOT NULL REFERENCES "experiments_experiment" ("id") DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE "socialaccount_socialaccount" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "provider" varchar(200) NOT NULL, "uid" varchar(191) NOT NULL, "last_login" datetime NOT NULL, "date_joined" datetime NOT NULL, "user_id" integer NOT NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "extra_data" text NOT NULL CHECK ((JSON_VALID("extra_data") OR "extra_data" IS NULL)));
CREATE TABLE "socialaccount_socialapp" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "provider" varchar(30) NOT NULL, "name" varchar(40) NOT NULL, "client_id" varchar(191) NOT NULL, "secret" varchar(191) NOT NULL, "key" varchar(191) NOT NULL, "provider_id" varchar(200) NOT NULL, "settings" text NOT NULL CHECK ((JSON_VALID("settings") OR "settings" IS NULL)));
CREATE TABLE "socialaccount_socialtoken" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "token" text NOT NULL, "token_secret" text NOT NULL, "expires_at" datetime NULL, "account_id" integer NOT NULL REFERENCES "socialaccount_socialaccount" ("id") DEFERRABLE INITIALLY DEFERRED, "app_id" integer NULL REFERENCES "socialaccount_socialapp" ("id") DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE "usersessions_usersession" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "created_at" datetime NOT NULL, "ip" char(39) NOT NULL, "last_seen_at" datetime NOT NULL, "session_key" varchar(40) NOT NULL UNIQUE, "user_agent" varchar(200) NOT NULL, "data" text NOT NULL CHECK ((JSON_VALID("data") OR "data" IS NULL)), "user_id" integer NOT NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED);
CREATE UNIQUE INDEX "auth_group_permissions_group_id_permission_id_0cd325b0_uniq" ON "auth_group_permissions" ("group_id", "permission_id");
CREATE INDEX "auth_group_permissions_group_id_b120cbf9" ON "auth_group_permissions" ("group_id");
CREATE INDEX "auth_group_permissions_permission_id_84c5c92e" ON "auth_group_permissions" ("permission_id");
CREATE UNIQUE INDEX "auth_user_groups_user_id_group_id_94350c0c_uniq" ON "auth_user_groups" ("user_id", "group_id");
CREATE INDEX "auth_user_groups_user_id_6a12ed8b" ON "auth_user_groups" ("user_id");
CREATE INDEX "auth_user_groups_group_id_97559544" ON "auth_user_groups" ("group_id");
CREATE UNIQUE INDEX "auth_user_user_permissions_user_id_permission_id_14a6b632_uniq" ON "auth_user_user_permissions" ("user_id", "permission_id");
CREATE INDEX "auth_user_user_permissions_user_id_a95ead1b" ON "auth_user_user_permissions" ("user_id");
CREATE INDEX "auth_user_user_permissions_permission_id_1fbb5f2c" ON "auth_user_user_permissions" ("permission_id");
CREATE INDEX "account_emailconfirmation_email_address_id_5b7f8c58" ON "account_emailconfirmation" ("email_address_id");
CREATE UNIQUE INDEX "account_emailaddress_user_id_email_987c8728_uniq" ON "account_emailaddress" ("user_id", "email");
CREATE UNIQUE INDEX "unique_verified_email" ON "account_emailaddress" ("email") WHERE "verified";
CREATE INDEX "account_emailaddress_user_id_2c513194" ON "account_emailaddress" ("user_id");
CREATE INDEX "account_emailaddress_email_03be32b2" ON "account_emailaddress" ("email");
CREATE UNIQUE INDEX "unique_primary_email" ON "account_emailaddress" ("user_id", "primary") WHERE "primary";
CREATE UNIQUE INDEX "django_content_type_app_label_model_76bd3d3b_uniq" ON "django_content_type" ("app_label", "model");
CREATE UNIQUE INDEX "auth_permission_content_type_id_codename_01ab375a_uniq" ON "auth_permission" ("content_type_id", "codename");
CREATE INDEX "auth_permission_content_type_id_2f476e4b" ON "auth_permission" ("content_type_id");
CREATE INDEX "accounts_cache_expires" ON "accounts_cache" ("expires");
CREATE INDEX "accounts_attempt_at_03cd75e4" ON "accounts_attempt" ("at");
CREATE INDEX "attempts_of_an_address" ON "accounts_attempt" ("kind", "address", "at");
CREATE INDEX "servers_debt_experiment_id_d4e4f96b" ON "servers_debt" ("experiment_id");
CREATE INDEX "servers_debt_server_id_f8cace1c" ON "servers_debt" ("server_id");
CREATE UNIQUE INDEX "one_open_debt_per_thing" ON "servers_debt" ("server_id", "kind", "name") WHERE "paid_at" IS NULL;
CREATE INDEX "fleet_hostlease_experiment_id_7da0dbcd" ON "fleet_hostlease" ("experiment_id");
CREATE INDEX "experiments_run_environment_id_b92e2d97" ON "experiments_run" ("environment_id");
CREATE INDEX "experiments_run_probe_id_f2c44c81" ON "experiments_run" ("probe_id");
CREATE INDEX "experiments_probe_experiment_id_8f54ae34" ON "experiments_probe" ("experiment_id");
CREATE INDEX "experiments_probe_server_id_16dc2d65" ON "experiments_probe" ("server_id");
CREATE INDEX "experiments_cell_server_id_4c77be87" ON "experiments_cell" ("server_id");
CREATE INDEX "experiments_cell_experiment_id_a4332620" ON "experiments_cell" ("experiment_id");
CREATE INDEX "experiments_trial_environment_id_1b9e1546" ON "experiments_trial" ("environment_id");
CREATE INDEX "experiments_trial_experiment_id_a47c99fd" ON "experiments_trial" ("experiment_id");
CREATE INDEX "experiments_trial_server_id_aeff0f69" ON "experiments_trial" ("server_id");
CREATE INDEX "experiments_trial_repeats_id_0f95fd4a" ON "experiments_trial" ("repeats_id");
CREATE INDEX "api_apitoken_user_id_9cffaf33" ON "api_apitoken" ("user_id");
CREATE INDEX "api_startkey_experiment_id_a749ceea" ON "api_startkey" ("experiment_id");
CREATE INDEX "api_startkey_user_id_a6a945cb" ON "api_startkey" ("user_id");
CREATE INDEX "audit_event_at_51e4e402" ON "audit_event" ("at");
CREATE INDEX "audit_event_who_id_a4162537" ON "audit_event" ("who_id");
CREATE INDEX "audit_event_did_4126eaa0" ON "audit_event" ("did");
CREATE TRIGGER audit_event_no_update BEFORE UPDATE ON audit_event
WHEN NOT (
    NEW.who_id IS NULL AND NEW.id IS OLD.id AND NEW.at IS OLD.at AND NEW.name IS OLD.name
    AND NEW.did IS OLD.did AND NEW.what IS OLD.what AND NEW.detail IS OLD.detail
)
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
CREATE TRIGGER audit_event_no_delete BEFORE DELETE ON audit_event
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
CREATE INDEX "cells_of_server" ON "experiments_cell" ("server_id", "experiment_id");
CREATE INDEX "trials_of_server" ON "experiments_trial" ("server_id", "experiment_id");
CREATE INDEX "experiments_comment_author_id_7d7c0944" ON "experiments_comment" ("author_id");
CREATE INDEX "experiments_comment_experiment_id_732547bf" ON "experiments_comment" ("experiment_id");
CREATE UNIQUE INDEX "experiments_experiment_tags_experiment_id_tag_id_5da55339_uniq" ON "experiments_experiment_tags" ("experiment_id", "tag_id");
CREATE INDEX "experiments_experiment_tags_experiment_id_30b3ce39" ON "experiments_experiment_tags" ("experiment_id");
CREATE INDEX "experiments_experiment_tags_tag_id_d7227f5a" ON "experiments_experiment_tags" ("tag_id");
CREATE INDEX "experiments_part_cell_id_fcfa9a59" ON "experiments_part" ("cell_id");
CREATE INDEX "experiments_part_worker_id_77df9883" ON "experiments_part" ("worker_id");
CREATE INDEX "experiments_experiment_state_fad92799" ON "experiments_experiment" ("state");
CREATE INDEX "experiments_experiment_created_by_id_7a6e7047" ON "experiments_experiment" ("created_by_id");
CREATE INDEX "experiments_experiment_worker_id_5a4f62a2" ON "experiments_experiment" ("worker_id");
CREATE INDEX "experiments_experiment_deleted_by_id_db1d745f" ON "experiments_experiment" ("deleted_by_id");
CREATE INDEX "experiments_experiment_queued_by_id_593a5c37" ON "experiments_experiment" ("queued_by_id");
CREATE INDEX "experiments_newest" ON "experiments_experiment" ("created_at" DESC, "id" DESC) WHERE "deleted_at" IS NULL;
CREATE INDEX "experiments_in_state" ON "experiments_experiment" ("state", "created_at" DESC, "id" DESC) WHERE "deleted_at" IS NULL;
CREATE INDEX "experiments_of_recipe" ON "experiments_experiment" ("recipe", "created_at" DESC, "id" DESC) WHERE "deleted_at" IS NULL;
CREATE INDEX "experiments_deleted" ON "experiments_experiment" ("deleted_at" DESC, "id" DESC) WHERE "deleted_at" IS NOT NULL;
CREATE INDEX "history_track_server_id_53701586" ON "history_track" ("server_id");
CREATE INDEX "track_unlooked" ON "history_track" ("unlooked") WHERE "unlooked";
CREATE INDEX "history_entry_environment_id_7e07b6c8" ON "history_entry" ("environment_id");
CREATE INDEX "history_entry_experiment_id_6675323a" ON "history_entry" ("experiment_id");
CREATE INDEX "history_entry_track_id_d2723ae9" ON "history_entry" ("track_id");
CREATE INDEX "entry_in_time" ON "history_entry" ("track_id", "at");
CREATE INDEX "history_change_rerun_id_0630c709" ON "history_change" ("rerun_id");
CREATE INDEX "history_change_decided_by_id_3776a471" ON "history_change" ("decided_by_id");
CREATE INDEX "history_change_first_id_d16e382a" ON "history_change" ("first_id");
CREATE INDEX "history_change_found_with_id_d0d29026" ON "history_change" ("found_with_id");
CREATE INDEX "history_change_track_id_d25a0b54" ON "history_change" ("track_id");
CREATE INDEX "change_open" ON "history_change" ("state") WHERE "state" = 'suspected';
CREATE INDEX "mfa_authenticator_user_id_0c3a50c0" ON "mfa_authenticator" ("user_id");
CREATE UNIQUE INDEX "unique_authenticator_type" ON "mfa_authenticator" ("user_id", "type") WHERE "type" IN ('totp', 'recovery_codes');
CREATE INDEX "notifications_delivery_channel_id_eac192a5" ON "notifications_delivery" ("channel_id");
CREATE INDEX "delivery_waiting" ON "notifications_delivery" ("next_at") WHERE "state" = 'waiting';
CREATE INDEX "delivery_newest" ON "notifications_delivery" ("created_at" DESC, "id" DESC);
CREATE INDEX "schedules_schedule_confirmed_by_id_42c62798" ON "schedules_schedule" ("confirmed_by_id");
CREATE INDEX "schedules_schedule_runs_as_id_b8a33079" ON "schedules_schedule" ("runs_as_id");
CREATE INDEX "schedules_night_asked_by_id_be376d5a" ON "schedules_night" ("asked_by_id");
CREATE INDEX "schedules_night_schedule_id_80b95411" ON "schedules_night" ("schedule_id");
CREATE INDEX "night_open" ON "schedules_night" ("closed_at") WHERE "closed_at" IS NULL;
CREATE INDEX "servers_server_owner_id_f482a695" ON "servers_server" ("owner_id");
CREATE INDEX "servers_server_commands_by_id_738f61ad" ON "servers_server" ("commands_by_id");
CREATE INDEX "servers_preflight_server_id_2080bc7d" ON "servers_preflight" ("server_id");
CREATE INDEX "django_session_expire_date_a5c62663" ON "django_session" ("expire_date");
CREATE UNIQUE INDEX "sharing_sharelink_compared_sharelink_id_experiment_id_50783ec1_uniq" ON "sharing_sharelink_compared" ("sharelink_id", "experiment_id");
CREATE INDEX "sharing_sharelink_compared_sharelink_id_d77d1258" ON "sharing_sharelink_compared" ("sharelink_id");
CREATE INDEX "sharing_sharelink_compared_experiment_id_abea5cf7" ON "sharing_sharelink_compared" ("experiment_id");
CREATE INDEX "sharing_sharelink_created_by_id_3526628d" ON "sharing_sharelink" ("created_by_id");
CREATE INDEX "sharing_sharelink_experiment_id_8d20e0b9" ON "sharing_sharelink" ("experiment_id");
CREATE UNIQUE INDEX "socialaccount_socialtoken_app_id_account_id_fca4e0ac_uniq" ON "socialaccount_socialtoken" ("app_id", "account_id");
CREATE INDEX "socialaccount_socialtoken_account_id_951f210e" ON "socialaccount_socialtoken" ("account_id");
CREATE INDEX "socialaccount_socialtoken_app_id_636a42d7" ON "socialaccount_socialtoken" ("app_id");
CREATE UNIQUE INDEX "socialaccount_socialaccount_provider_uid_fc810c6e_uniq" ON "socialaccount_socialaccount" ("provider", "uid");
CREATE INDEX "socialaccount_socialaccount_user_id_8146e70c" ON "socialaccount_socialaccount" ("user_id");
CREATE INDEX "usersessions_usersession_user_id_af5e0a6d" ON "usersessions_usersession" ("user_id");
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('django_migrations',71);
INSERT INTO "sqlite_sequence" VALUES('account_emailaddress',0);
INSERT INTO "sqlite_sequence" VALUES('django_content_type',45);
INSERT INTO "sqlite_sequence" VALUES('auth_permission',180);
INSERT INTO "sqlite_sequence" VALUES('auth_group',0);
INSERT INTO "sqlite_sequence" VALUES('auth_user',1);
INSERT INTO "sqlite_sequence" VALUES('experiments_run',18);
INSERT INTO "sqlite_sequence" VALUES('experiments_probe',1);
INSERT INTO "sqlite_sequence" VALUES('experiments_cell',18);
INSERT INTO "sqlite_sequence" VALUES('experiments_trial',0);
INSERT INTO "sqlite_sequence" VALUES('audit_event',1);
INSERT INTO "sqlite_sequence" VALUES('experiments_comment',0);
INSERT INTO "sqlite_sequence" VALUES('experiments_experiment',1);
INSERT INTO "sqlite_sequence" VALUES('fleet_worker',0);
INSERT INTO "sqlite_sequence" VALUES('history_track',0);
INSERT INTO "sqlite_sequence" VALUES('history_entry',0);
INSERT INTO "sqlite_sequence" VALUES('history_change',0);
INSERT INTO "sqlite_sequence" VALUES('mfa_authenticator',0);
INSERT INTO "sqlite_sequence" VALUES('servers_server',1);
INSERT INTO "sqlite_sequence" VALUES('servers_preflight',0);
INSERT INTO "sqlite_sequence" VALUES('sharing_sharelink',0);
INSERT INTO "sqlite_sequence" VALUES('socialaccount_socialapp',0);
INSERT INTO "sqlite_sequence" VALUES('socialaccount_socialtoken',0);
INSERT INTO "sqlite_sequence" VALUES('socialaccount_socialaccount',0);
INSERT INTO "sqlite_sequence" VALUES('experiments_environment',1);
INSERT INTO "sqlite_sequence" VALUES('servers_debt',1);
COMMIT;
