/**
 * The words of links that change something when they are followed, by language. Each row has the columns of `ACTIONS`,
 * separated by `|`, and in each column phrases, separated by commas. Letters are compared without case and without
 * accents, so `löschen` also stands for `loschen`; other spellings without accents (`loeschen`) are written out.
 * A word that begins with `=` counts only where it stands alone, because it has other meanings beside other words.
 */
export const ACTIONS = [
  'log out',
  'delete',
  'unsubscribe',
  'buy',
  'cancel',
  'add to cart',
  'vote',
  'confirm',
  'approve',
] as const;

export const ACTION_WORDS: Readonly<Record<string, string>> = {
  en: `log out, logout, log off, logoff, sign out, signout, sign off, signoff, end session, switch user | delete,
    deletion, remove, erase, destroy, purge, trash, discard, wipe, uninstall, deactivate, revoke, terminate,
    close account, empty trash, empty cart, =del, =rm, =drop, =unlink, =ban, =spam, =revert, =rollback, =undo
    | unsubscribe, opt out, optout, unfollow, unwatch, mute, leave group, =subscribe, =follow | buy, purchase,
    checkout, check out, pay now, place order, order now, place bid, donate now, =pay, =donate | cancel, abort,
    withdraw, refund | add to cart, add to basket, add to bag, add to wishlist, add to favorites, add to favourites,
    addtocart, cart add, basket add, remove from cart | vote, upvote, downvote, vote up, vote down, =like, =dislike,
    =unlike | confirm, =verify, =activate | approve, disapprove, reject, decline, =accept,
    =publish, =unpublish, =deny, =lock, =unlock, mark as read`,
  de: `abmelden, ausloggen, abmeldung | löschen, loeschen, entfernen | abbestellen, austragen, abo kündigen | kaufen,
    jetzt kaufen, bestellen, zur kasse, zahlungspflichtig bestellen, mitbieten | stornieren, kündigen, kuendigen,
    abbrechen, widerrufen | in den warenkorb, in den einkaufswagen, auf die merkliste | abstimmen, gefällt mir
    | bestätigen, bestaetigen | genehmigen, freigeben, ablehnen`,
  fr: `déconnexion, se déconnecter, deconnecter, fermer la session | supprimer, effacer, retirer | se désabonner,
    désabonnement, désinscrire, se désinscrire, désinscription | acheter, commander, passer la commande, payer
    | annuler, résilier | ajouter au panier, ajouter au caddie, ajouter aux favoris | voter pour, je vote, =voter
    | confirmer | approuver, rejeter, refuser`,
  es: `cerrar sesión, salir de la cuenta, desconectar, desconectarse, =salir | eliminar, borrar, suprimir, quitar
    | cancelar suscripción, darse de baja, desuscribir, desuscribirse | comprar, pagar, realizar pedido | cancelar,
    anular | añadir al carrito, agregar al carrito, añadir a la cesta, agregar a favoritos | votar | confirmar
    | aprobar, rechazar`,
  pt: `terminar sessão, encerrar sessão, desconectar, =sair | excluir, apagar, eliminar, remover
    | cancelar inscrição, cancelar assinatura, descadastrar, anular subscrição | comprar, encomendar,
    finalizar compra | cancelar, anular | adicionar ao carrinho, adicionar ao cesto, adicionar aos favoritos | votar
    | confirmar | aprovar, rejeitar, recusar`,
  it: `esci, disconnetti, disconnettersi, chiudi sessione | elimina, eliminare, cancella, rimuovi, rimuovere
    | annulla iscrizione, disiscriviti, cancella iscrizione, disiscrizione | acquista, compra ora, ordina ora,
    =compra | annulla, annullare, disdici | aggiungi al carrello, aggiungi ai preferiti | vota, votare | conferma,
    confermare | approva, approvare, rifiuta`,
  nl: `uitloggen, afmelden, log uit | verwijderen, verwijder, wissen | uitschrijven, afmelden nieuwsbrief,
    abonnement opzeggen | kopen, koop nu, bestellen, nu bestellen, afrekenen | annuleren, opzeggen | in winkelwagen,
    in winkelmandje, toevoegen aan winkelwagen | stemmen, =stem | bevestigen | goedkeuren, afkeuren, afwijzen`,
  sv: `logga ut, utloggning | ta bort, radera | avprenumerera, avsluta prenumeration, avregistrera | köp, köp nu,
    beställ | avbryt, avboka, avbeställ | lägg i varukorg, lägg i varukorgen, lägg i kundvagn | rösta | bekräfta
    | godkänn, avslå, neka`,
  no: `logg ut, logg av | slett, fjern | avslutt abonnement, meld av, avmeld | kjøp, kjop nå, bestill | avbryt,
    avbestill, kanseller | legg i handlekurv, legg i handlekurven, legg i kurv | avgi stemme, stem på | bekreft
    | godkjenn, avvis`,
  da: `log ud, log af | slet, fjern | afmeld, afmeld nyhedsbrev, opsig abonnement | køb, køb nu, bestil | annuller,
    afbestil, fortryd | læg i kurv, læg i kurven, laeg i kurv, tilføj til kurv | afgiv stemme, stem på | bekræft,
    bekraeft | godkend, afvis`,
  fi: `kirjaudu ulos, uloskirjautuminen | poista | peruuta tilaus, lopeta tilaus, peru uutiskirje | osta, osta nyt,
    tilaa nyt | peruuta | lisää ostoskoriin, lisää koriin | äänestä | vahvista | hyväksy, hylkää`,
  is: `útskrá, skrá út, útskráning | eyða, fjarlægja | afskrá, segja upp áskrift | kaupa, panta | hætta við, afpanta
    | setja í körfu, bæta í körfu | kjósa, greiða atkvæði | staðfesta | samþykkja, hafna`,
  pl: `wyloguj, wyloguj się, wylogowanie | usuń, skasuj | wypisz się, anuluj subskrypcję, zrezygnuj z subskrypcji
    | kup, kup teraz, kupuj, zamów | anuluj, odwołaj | dodaj do koszyka, do koszyka | głosuj, zagłosuj | potwierdź,
    potwierdz | zatwierdź, zatwierdz, odrzuć`,
  cs: `odhlásit, odhlásit se, odhlášení | smazat, odstranit, vymazat | odhlásit odběr, zrušit odběr | koupit,
    objednat | zrušit, stornovat | do košíku, přidat do košíku, vložit do košíku | hlasovat | potvrdit | schválit,
    zamítnout`,
  sk: `odhlásiť, odhlásiť sa, odhlásenie | zmazať, odstrániť, vymazať | odhlásiť odber, zrušiť odber | kúpiť,
    objednať | zrušiť, stornovať | do košíka, pridať do košíka, vložiť do košíka | hlasovať | potvrdiť | schváliť,
    zamietnuť`,
  hu: `kijelentkezés, kilépés, kijelentkezik | törlés, töröl, eltávolítás | leiratkozás, leiratkozom | vásárlás,
    megveszem, megrendelés, megrendelem | lemondás, visszavonás, lemondom | kosárba, kosárba teszem, kosárhoz ad
    | szavazás, szavazok | megerősítés, megerősít | jóváhagyás, elutasítás`,
  ro: `deconectare, delogare, ieșire din cont | șterge, sterge, elimină | dezabonare, dezabonează | cumpără,
    cumpara acum, comandă acum | anulează, renunță | adaugă în coș, adauga in cos | votează | confirmă | aprobă,
    respinge`,
  bg: `изход, излез, отписване от акаунта | изтрий, изтриване, премахни | отписване, отпиши се, отказ от абонамент
    | купи, поръчай | отмени, откажи | добави в количката, в количката | гласувай | потвърди | одобри, отхвърли`,
  hr: `odjava, odjavi se, odjavi me | izbriši, obriši, ukloni | otkaži pretplatu, odjavi pretplatu | kupi,
    kupi odmah, naruči | otkaži, poništi | dodaj u košaricu, u košaricu | glasaj, glasuj | potvrdi | odobri, odbij`,
  sr: `одјави се, одјава, odjavi se | избриши, обриши, уклони | откажи претплату | купи, наручи, kupi | откажи,
    поништи | додај у корпу, dodaj u korpu | гласај | потврди | одобри, одбиј`,
  sl: `odjava, odjavite se | izbriši, odstrani | odjava od novic, prekliči naročnino | kupi, naroči | prekliči
    | dodaj v košarico, v košarico | glasuj | potrdi | odobri, zavrni`,
  ru: `выйти, выход, разлогиниться, vyhod | удалить, удаление, стереть, udalit | отписаться, отписка,
    отменить подписку | купить, заказать, оформить заказ, оплатить, kupit | отменить, отмена | в корзину,
    добавить в корзину, положить в корзину | голосовать, проголосовать | подтвердить | одобрить, отклонить`,
  uk: `вийти, вихід | видалити, вилучити | відписатися, скасувати підписку | купити, замовити, оплатити | скасувати,
    відмінити | у кошик, в кошик, додати до кошика, додати в кошик | голосувати, проголосувати | підтвердити
    | схвалити, відхилити`,
  el: `αποσύνδεση, έξοδος | διαγραφή, αφαίρεση, κατάργηση | κατάργηση εγγραφής, διαγραφή από τη λίστα | αγορά,
    αγόρασε, αγοράστε, παραγγελία | ακύρωση | προσθήκη στο καλάθι, στο καλάθι | ψηφίστε, ψήφισε | επιβεβαίωση
    | έγκριση, απόρριψη`,
  tr: `çıkış, çıkış yap, oturumu kapat, cikis | sil, kaldır, hesabı sil | abonelikten çık, aboneliği iptal et
    | satın al, satin al, hemen al, sipariş ver | iptal, iptal et, vazgeç | sepete ekle, sepete at | oy ver, oyla
    | onayla, doğrula | kabul et, reddet`,
  ca: `tanca la sessió, desconnecta, surt | suprimeix, esborra, elimina | cancel·la la subscripció, dona de baixa
    | compra ara, comprar, =compra | cancel·la, anul·la | afegeix a la cistella, afegeix al carret | vota | confirma
    | aprova, rebutja`,
  et: `logi välja, väljalogimine | kustuta, eemalda | loobu uudiskirjast, tühista tellimus, lõpeta tellimus | osta,
    osta kohe, telli | tühista, katkesta | lisa ostukorvi, lisa korvi | hääleta | kinnita | kiida heaks, lükka tagasi`,
  lv: `iziet, atteikties, izrakstīties | dzēst, noņemt | atrakstīties, atcelt abonementu | pirkt, pasūtīt | atcelt
    | pievienot grozam, ielikt grozā | balsot | apstiprināt | akceptēt, noraidīt`,
  lt: `atsijungti | ištrinti, pašalinti, šalinti | atsisakyti prenumeratos, atsisakyti naujienlaiškio | pirkti,
    užsakyti | atšaukti | į krepšelį, pridėti į krepšelį | balsuoti | patvirtinti | pritarti, atmesti`,
  ar: `تسجيل الخروج, خروج, الخروج | حذف, احذف, إزالة, مسح | إلغاء الاشتراك, الغاء الاشتراك | شراء, اشتر الآن,
    اشتري الآن, اطلب الآن | إلغاء, الغاء | أضف إلى السلة, اضف الى السلة, إضافة إلى السلة, أضف للسلة | تصويت, صوت الآن
    | تأكيد | موافقة, رفض, قبول`,
  he: `התנתק, התנתקות, יציאה, ניתוק | מחק, מחיקה, הסר | ביטול מנוי, הסר מרשימת התפוצה, הסרה מרשימת תפוצה | קנה,
    קנה עכשיו, הזמן עכשיו, לרכישה | ביטול, בטל | הוסף לסל, הוספה לסל, הוסף לעגלה | הצבע, הצבעה | אשר, אישור
    | אישור בקשה, דחה`,
  fa: `خروج, خروج از حساب | حذف, پاک کردن | لغو اشتراک, لغو عضویت | خرید, سفارش | لغو, انصراف | افزودن به سبد خرید,
    افزودن به سبد | رای دادن, رأی دادن | تایید, تأیید | پذیرفتن, رد کردن`,
  hi: `लॉग आउट, लॉगआउट, साइन आउट | हटाएं, हटाएँ, मिटाएं, मिटाएँ | सदस्यता समाप्त करें, सदस्यता छोड़ें | खरीदें,
    अभी खरीदें, ऑर्डर करें | रद्द करें | कार्ट में जोड़ें, कार्ट में डालें | वोट करें, मतदान करें | पुष्टि करें
    | स्वीकृत करें, अस्वीकार करें, मंज़ूर करें`,
  bn: `লগ আউট, লগআউট, সাইন আউট | মুছুন, মুছে ফেলুন | সাবস্ক্রিপশন বাতিল, আনসাবস্ক্রাইব | কিনুন, এখনই কিনুন,
    অর্ডার করুন | বাতিল, বাতিল করুন | কার্টে যোগ করুন | ভোট দিন | নিশ্চিত করুন | অনুমোদন করুন, প্রত্যাখ্যান করুন`,
  th: `ออกจากระบบ, ลงชื่อออก | ลบ, ลบออก | ยกเลิกการสมัคร, ยกเลิกการติดตาม | ซื้อ, ซื้อเลย, สั่งซื้อ | ยกเลิก
    | หยิบใส่ตะกร้า, เพิ่มลงตะกร้า, ใส่ตะกร้า | โหวต, ลงคะแนน | ยืนยัน | อนุมัติ, ปฏิเสธ`,
  vi: `đăng xuất, dang xuat, thoát tài khoản | xóa, xoá, gỡ bỏ | hủy đăng ký, huỷ đăng ký, huy dang ky | mua ngay,
    đặt hàng, mua hàng | hủy, huỷ, hủy bỏ | thêm vào giỏ, thêm vào giỏ hàng, them vao gio | bỏ phiếu, bình chọn
    | xác nhận | phê duyệt, từ chối`,
  id: `keluar, logout akun | hapus | berhenti berlangganan, batal berlangganan | beli, beli sekarang, pesan sekarang
    | batal, batalkan | tambah ke keranjang, masukkan keranjang, tambahkan ke keranjang | beri suara, pilih suara
    | konfirmasi | setujui, tolak`,
  ms: `log keluar, daftar keluar | padam, buang | henti langgan, nyahlanggan | beli, beli sekarang | batal, batalkan
    | tambah ke troli, masukkan ke troli | undi | sahkan | luluskan, tolak`,
  ko: `로그아웃 | 삭제, 삭제하기, 제거, 탈퇴, 회원탈퇴 | 수신거부, 구독취소, 구독 취소, 구독해지 | 구매, 구매하기, 바로구매, 주문하기, 결제하기 | 취소, 주문취소 | 장바구니,
    장바구니 담기, 장바구니에 담기 | 투표, 투표하기, 추천하기 | 확인, 인증하기 | 승인, 거절`,
  ja: `ログアウト, サインアウト | 削除, 削除する, 消去, 退会 | 配信停止, 購読解除, 登録解除 | 購入, 購入する, 今すぐ購入, 注文する, 注文を確定 | キャンセル, 取り消し, 取消
    | カートに入れる, カートに追加, 買い物かごに入れる | 投票, 投票する | 確認する, 確定 | 承認, 却下, 拒否`,
  zh: `退出登录, 退出登錄, 登出, 注销, 註銷, 安全退出 | 删除, 刪除, 移除, 清空 | 退订, 退訂, 取消订阅, 取消訂閱 | 购买, 購買, 立即购买, 立即購買, 下单, 下單, 结算 | 取消,
    取消订单, 取消訂單 | 加入购物车, 加入購物車, 放入购物车, 加入收藏 | 投票, 点赞, 點讚 | 确认, 確認, 确定 | 批准, 审核通过, 核准, 拒绝, 拒絕`,
};
